/** Feeds that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { ActivityFeed, NotificationFeed } from "@agent-platform/feeds"
import { layer as stores } from "@agent-platform/feeds/memory"
import {
  activityFeedContract,
  notificationFeedContract,
  notificationModelContract
} from "@agent-platform/feeds/testing"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { DateTime, Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Notices = NotificationFeed["Service"]
type Acts = ActivityFeed["Service"]

const memory = Layer.provideMerge(Layer.merge(stores, Layer.succeed(TransactionsOverlap, false)), kernel)

const brokenNotices = (broken: (feed: Notices) => Partial<Notices>) =>
  Layer.effect(
    NotificationFeed,
    Effect.map(NotificationFeed, (feed) => ({ ...feed, ...broken(feed) }))
  ).pipe(Layer.provideMerge(memory), Layer.merge(Tenants.layerUnfounded), Layer.fresh)

const noticeFault = (fault: string, broken: (feed: Notices) => Partial<Notices>, caughtBy: ReadonlyArray<string>) =>
  bite(fault, () => notificationFeedContract("a broken feed", brokenNotices(broken)), caughtBy)

const modelFault = (fault: string, broken: (feed: Notices) => Partial<Notices>, caughtBy: ReadonlyArray<string>) =>
  bite(fault, () => notificationModelContract("a broken feed", brokenNotices(broken), { runs: 60, seed: 1 }), caughtBy)

const activityFault = (fault: string, broken: (feed: Acts) => Partial<Acts>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    ActivityFeed,
    Effect.map(ActivityFeed, (feed) => ({ ...feed, ...broken(feed) }))
  ).pipe(Layer.provideMerge(memory), Layer.merge(Tenants.layerUnfounded))
  bite(fault, () => activityFeedContract("a broken feed", layer), caughtBy)
}

const MODEL = "are what the model says, after every post, mark and filing"
const MOMENTS = "are counted right at every moment while many post, mark, mark all and file at once"

const LATER = DateTime.makeUnsafe("2100-01-01T00:00:00.000Z")

noticeFault(
  "a feed that counts no further than it shows",
  (feed) => ({
    read: (workspace, filter) =>
      Effect.map(feed.read(workspace, filter), (reading) => ({
        ...reading,
        unreadCount: reading.items.filter((item) => !item.read).length
      }))
  }),
  [
    "shows the notices that arrived last, and counts all",
    "shows the notices of a filter alone, filed or not, and counts all"
  ]
)

noticeFault("a feed that shows all, whatever is asked for", (feed) => ({ read: (workspace) => feed.read(workspace) }), [
  "shows the notices of a filter alone, filed or not, and counts all"
])

noticeFault(
  "a feed in which one who reads reads for the whole organization",
  (feed) => {
    const siblings = new Map<string, Set<Parameters<Notices["read"]>[0]>>()
    const known = (workspace: Parameters<Notices["read"]>[0]) => {
      const all = siblings.get(workspace.organizationId) ?? new Set()
      siblings.set(workspace.organizationId, all.add(workspace))
      return [...all]
    }
    return {
      read: (workspace, filter) => Effect.tap(feed.read(workspace, filter), () => Effect.sync(() => known(workspace))),
      markRead: (workspace, ids) =>
        Effect.forEach(known(workspace), (one) => feed.markRead(one, ids), { discard: true }),
      unfiled: (max, among) => {
        for (const { organizationId, workspaceId } of among ?? []) {
          if (workspaceId !== null) known({ organizationId, workspaceId })
        }
        return feed.unfiled(max, among)
      }
    }
  },
  [
    "counts right what remains, whatever was read of what is forgotten",
    "has other marks wherever something has become read, and the same ones where nothing has"
  ]
)

noticeFault(
  "a feed that tells nobody what has become read",
  () => ({ marks: (all) => Effect.succeed(all.map(() => "")) }),
  ["has other marks wherever something has become read, and the same ones where nothing has"]
)

noticeFault(
  "a feed that marks all without what is not filed",
  (feed) => ({
    markAllRead: (workspace) =>
      Effect.gen(function* () {
        const { items } = yield* feed.read(workspace)
        const end = yield* feed.end(workspace)
        const [part] = yield* feed.since([{ workspace, after: { own: 0, shared: 0 }, upTo: end }], 1_000)
        const filed = new Set(part?.arrivals.map(({ notification }) => notification.id))
        yield* feed.markRead(
          workspace,
          items.map(({ id }) => id).filter((id) => filed.has(id))
        )
      })
  }),
  [
    "marks all that there is for one workspace, and nothing that comes later",
    "leaves a notice unread that is committed after all were marked, however early it was made"
  ]
)

noticeFault(
  "a feed that stops at the first part",
  (feed) => ({
    since: (ranges, max) =>
      Effect.map(feed.since(ranges, max), (parts) => parts.map((part) => ({ ...part, more: false })))
  }),
  [
    "goes on behind every place without a loss or a repetition",
    "gives several workspaces their parts at once, none of them more than `max`"
  ]
)

noticeFault(
  "a feed that forgets by age alone, wherever it stands",
  (feed) => ({
    forget: (owner, bounds, max) =>
      Effect.gen(function* () {
        if (bounds.before === undefined) return yield* feed.forget(owner, bounds, max)
        let total = 0
        for (let round = 0; round < 3; round++) total += yield* feed.forget(owner, { before: LATER }, max)
        return total
      })
  }),
  [
    "names the owners of what is old, and forgets it alone",
    "counts right what remains, whatever was read of what is forgotten",
    "counts right what remains where all was marked before, and marks on",
    "forgets as many as it is asked to, and none from behind one that is kept"
  ]
)

noticeFault(
  "a feed that keeps all that it has",
  (feed) => ({
    forget: (owner, { before }, max) => (before === undefined ? Effect.succeed(0) : feed.forget(owner, { before }, max))
  }),
  ["forgets the oldest beyond as many as are to be kept, however young they are"]
)

modelFault(
  "a feed that counts every mark",
  (feed) => {
    const marked = new Map<string, number>()
    return {
      markRead: (workspace, ids) =>
        Effect.tap(feed.markRead(workspace, ids), () =>
          Effect.sync(() => marked.set(workspace.workspaceId, (marked.get(workspace.workspaceId) ?? 0) + ids.length))
        ),
      markAllRead: (workspace) =>
        Effect.tap(feed.markAllRead(workspace), () => Effect.sync(() => marked.delete(workspace.workspaceId))),
      read: (workspace) =>
        Effect.map(feed.read(workspace), (reading) => {
          const unread = reading.items.filter((item) => !item.read).length
          const counted = reading.items.length - (marked.get(workspace.workspaceId) ?? 0)
          return marked.has(workspace.workspaceId)
            ? { ...reading, unreadCount: counted }
            : { ...reading, unreadCount: unread }
        })
    }
  },
  [MODEL, MOMENTS]
)

modelFault(
  "a feed that counts at one moment and shows another",
  (feed) => ({
    read: (workspace) =>
      Effect.gen(function* () {
        const { unreadCount } = yield* feed.read(workspace)
        yield* Effect.yieldNow
        yield* Effect.yieldNow
        return { ...(yield* feed.read(workspace)), unreadCount }
      })
  }),
  [MOMENTS]
)

activityFault(
  "a feed that goes by the time alone",
  (feed) => ({
    list: (scope, filter, page) =>
      feed.list(scope, filter, {
        ...page,
        before: page.before && { ...page.before, id: "00000000-0000-7000-8000-000000000000" as typeof page.before.id }
      })
  }),
  [
    "combines every filter with every other, on pages of every size, newest first",
    "gives everything once that was there at first, whatever is recorded between two pages"
  ]
)

activityFault(
  "a feed that shows everybody the organization's entries",
  (feed) => ({ list: (scope, filter, page) => feed.list({ ...scope, includesOrganization: true }, filter, page) }),
  [
    "combines every filter with every other, on pages of every size, newest first",
    "shows an organization's entries in none of its workspaces unless it is asked for them"
  ]
)

activityFault(
  "a feed that takes one filter at a time",
  (feed) => ({
    list: (scope, filter, page) =>
      feed.list(scope, filter.resourceType === undefined ? filter : { resourceType: filter.resourceType }, page)
  }),
  ["combines every filter with every other, on pages of every size, newest first"]
)

activityFault(
  "a feed whose bound is exclusive",
  (feed) => ({
    list: (scope, filter, page) =>
      feed.list(scope, { ...filter, since: filter.since && DateTime.add(filter.since, { milliseconds: 1 }) }, page)
  }),
  ["combines every filter with every other, on pages of every size, newest first", "has since as an inclusive bound"]
)

activityFault("a feed that forgets without end", (feed) => ({ forget: (before) => feed.forget(before, 1_000) }), [
  "forgets the oldest by their ids, as many as it is asked to, and keeps the rest"
])
