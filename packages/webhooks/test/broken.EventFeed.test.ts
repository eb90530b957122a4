/** Feeds that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { EventLog } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { TransactionsOverlap } from "@agent-platform/kernel/testing"
import { EventFeed, FeedPosition } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { eventFeedContract } from "@agent-platform/webhooks/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Feed = EventFeed["Service"]

const memory = Layer.provideMerge(Layer.merge(stores, Layer.succeed(TransactionsOverlap, false)), kernel)

const feedFault = (fault: string, broken: (feed: Feed) => Partial<Feed>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    EventFeed,
    Effect.map(EventFeed, (feed) => ({ ...feed, ...broken(feed) }))
  )
  bite(fault, () => eventFeedContract("a broken feed", layer.pipe(Layer.provideMerge(memory))), caughtBy)
}

feedFault(
  "a feed that ends a page too early",
  (feed) => ({ read: (range) => Effect.map(feed.read(range), ({ events }) => ({ events, next: range.upTo })) }),
  [
    "gives the events of several organizations in one order",
    "goes on page by page without a loss or a repetition",
    "ends a page with the event that fills it, however many were asked for"
  ]
)

feedFault(
  "a feed whose pages are as large as their events",
  (feed) => ({
    read: Effect.fnUntraced(function* (range) {
      const first = yield* feed.read(range)
      const rest = { ...range, after: first.next, limit: range.limit - first.events.length }
      if (rest.limit === 0 || first.next === range.upTo) return first
      const { events, next } = yield* feed.read(rest)
      return { events: [...first.events, ...events], next }
    })
  }),
  ["ends a page with the event that fills it, however many were asked for"]
)

feedFault(
  "a feed that gives the event itself again",
  (feed) => ({
    behind: (organizationId, eventId) =>
      Effect.map(feed.behind(organizationId, eventId), (place) =>
        place === undefined ? undefined : (String(Number(place) - 1) as typeof place)
      )
  }),
  ["goes on behind an event that was seen"]
)

feedFault(
  "a feed that shows other organizations' events",
  (feed) => {
    const organizations = new Set<Parameters<Feed["behind"]>[0]>()
    return {
      behind: (organizationId, eventId) => {
        organizations.add(organizationId)
        return Effect.map(
          Effect.forEach([...organizations], (one) => feed.behind(one, eventId)),
          (places) => places.find((place) => place !== undefined)
        )
      },
      read: (range) => {
        for (const one of range.organizations) organizations.add(one)
        return feed.read({ ...range, organizations: [...organizations] })
      }
    }
  },
  [
    "gives nothing of a transaction that fails, and nothing for no organization",
    "knows no place behind an event that is unknown or another organization's"
  ]
)

feedFault("a feed that believes every place", () => ({ hasReached: () => Effect.succeed(true) }), [
  "has reached the places that it gave out, and none beyond its end or that is none"
])

feedFault("a feed that knows no place again", () => ({ hasReached: () => Effect.succeed(false) }), [
  "has reached the places that it gave out, and none beyond its end or that is none"
])

bite("a feed that ends behind what is appended and not committed", () => {
  let appended = 0
  const log = Layer.effect(
    EventLog,
    Effect.map(EventLog, ({ append, ...log }) => ({
      ...log,
      append: (...events) => {
        appended += events.length
        return append(...events)
      }
    }))
  )
  const feed = Layer.effect(
    EventFeed,
    Effect.map(EventFeed, ({ end, ...feed }) => ({
      ...feed,
      end: Effect.map(end, (place) => FeedPosition.make(String(Math.max(Number(place), appended))))
    }))
  )
  eventFeedContract("a broken feed", Layer.merge(log, feed).pipe(Layer.provideMerge(memory)))
}, ["leaves out no event whose transaction commits after a later one's"])
