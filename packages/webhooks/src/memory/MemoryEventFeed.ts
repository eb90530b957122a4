import { bodyOf, type EventRecord } from "@agent-platform/kernel"
import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { EventFeed, FEED_PAGE_BYTES, FeedPosition } from "../ports/EventFeed.ts"

/** The event log of a `MemoryDatabase`, whose transactions run one after another: their order is that of the rows. */
export const layerEventFeed = layerMemory(EventFeed)((database) => {
  const log = database.table<EventRecord>("event")
  /** The position behind so many events. */
  const positionOf = (count: number) => FeedPosition.make(String(count))
  return {
    end: Effect.map(log.all, (events) => positionOf(events.length)),
    hasReached: (position) =>
      Effect.map(log.all, (events) => /^(?:0|[1-9]\d{0,14})$/.test(position) && Number(position) <= events.length),
    behind: (organizationId, eventId) =>
      Effect.map(log.all, (events) => {
        const index = events.findIndex((event) => event.id === eventId && event.organizationId === organizationId)
        return index === -1 ? undefined : positionOf(index + 1)
      }),
    read: ({ after, limit, organizations, upTo }) =>
      Effect.map(log.all, (events) => {
        const inRange = events
          .map((event, index) => ({ event, behind: positionOf(index + 1) }))
          .slice(Number(after), Number(upTo))
          .filter(({ event }) => organizations.includes(event.organizationId))
        let bytes = 0
        const found = inRange.slice(0, limit).filter(({ event }) => {
          const bytesBefore = bytes
          bytes += new TextEncoder().encode(event.data).length
          return bytesBefore < FEED_PAGE_BYTES
        })
        const last = found.at(-1)
        return {
          events: found.map(({ event }) => ({
            body: bodyOf(event),
            id: event.id,
            organizationId: event.organizationId,
            type: event.type
          })),
          next: found.length === inRange.length || last === undefined ? upTo : last.behind
        }
      })
  }
})
