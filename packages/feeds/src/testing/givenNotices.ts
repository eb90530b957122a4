/** Workspaces, the notices posted to them and the notices that they see, shared by the cases about notices. */
import { FeedLog, firstIdAt, NotificationId, type NotificationRecord, UnitOfWork } from "@agent-platform/kernel"
import { aNotification, anId, aTenant, type Tenants } from "@agent-platform/kernel/testing"
import type { Vitest } from "@effect/vitest"
import { type DateTime, Effect } from "effect"
import { BEGINNING, type FeedPlace, type FeedWorkspace, type NoticeOwner } from "../Notification.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import { fileNotices } from "../use-cases/fileNotices.ts"

/** The ports of the suites: the feed itself, and the log that it reads. */
export type NotificationFeedContractPorts = NotificationFeed | FeedLog | UnitOfWork | Tenants

/** A part of the suite. */
export type Cases = (it: Vitest.MethodsNonLive<NotificationFeedContractPorts>) => void

export const atomic = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

/** Two workspaces of one organization, and one of another. */
export const workspaces = Effect.gen(function* () {
  const one: FeedWorkspace = yield* aTenant()
  const two: FeedWorkspace = yield* aTenant({ organizationId: one.organizationId })
  const foreign: FeedWorkspace = yield* aTenant()
  return { one, two, foreign }
})

/** Posts a notice in a transaction of its own and returns it. */
export const posted = ({ organizationId, workspaceId }: NoticeOwner, override: Partial<NotificationRecord> = {}) =>
  Effect.suspend(() => {
    const notice = aNotification({ organizationId, workspaceId, ...override })
    return Effect.as(atomic(FeedLog.use((log) => log.notify(notice))), notice)
  })

/** Posts a notice as `posted` does, to the whole organization. */
export const postedToAll = ({ organizationId }: FeedWorkspace, override: Partial<NotificationRecord> = {}) =>
  posted({ organizationId, workspaceId: null }, override)

/** An id that was made at this time. */
export const aNoticeIdAt = (at: DateTime.Utc): NotificationId =>
  NotificationId.make(`${firstIdAt(at).slice(0, 24)}${anId(NotificationId).slice(24)}`)

export const read = (workspace: FeedWorkspace) => NotificationFeed.use((feed) => feed.read(workspace))

export const unreadOf = (workspace: FeedWorkspace) => Effect.map(read(workspace), ({ unreadCount }) => unreadCount)

export const markRead = (workspace: FeedWorkspace, ...notices: ReadonlyArray<{ readonly id: NotificationId }>) =>
  NotificationFeed.use((feed) =>
    atomic(
      feed.markRead(
        workspace,
        notices.map(({ id }) => id)
      )
    )
  )

export const markAllRead = (workspace: FeedWorkspace) =>
  NotificationFeed.use((feed) => atomic(feed.markAllRead(workspace)))

/** Files everything that the workspace sees. */
export const filed = ({ organizationId, workspaceId }: FeedWorkspace) =>
  fileNotices([
    { organizationId, workspaceId: null },
    { organizationId, workspaceId }
  ])

/** Reads, `max` of each kind at a time, everything with a number that comes after a place. */
export const walked = Effect.fnUntraced(function* (workspace: FeedWorkspace, from: FeedPlace = BEGINNING, max = 100) {
  const feed = yield* NotificationFeed
  const arrivals = []
  let after = from
  while (true) {
    const [part] = yield* feed.since([{ workspace, after, upTo: undefined }], max)
    if (part === undefined) throw new Error("A range has a part")
    arrivals.push(...part.arrivals)
    after = part.next
    if (!part.more) return { arrivals, end: after }
  }
})

export const idsOf = (notices: ReadonlyArray<{ readonly id: NotificationId }>) => notices.map(({ id }) => id)
