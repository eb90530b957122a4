import { bodyOf, EventId, EventLog, type EventRecord, OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { anEvent, anId, overtaking } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer, Schedule } from "effect"
import { EventFeed, FEED_PAGE_BYTES, FeedPosition, type FollowedEvent } from "../ports/EventFeed.ts"

/** The ports of the suite: the feed itself, and the log of its events. */
export type EventFeedContractPorts = EventFeed | EventLog | UnitOfWork

/** How often a case looks at the feed before it fails. A feed that ends before the oldest open transaction waits for others of its server. */
const LOOKS_MAX = 4_000

/** The contract of feeds of events. */
export const eventFeedContract = <E>(adapter: string, adapterLayer: Layer.Layer<EventFeedContractPorts, E>) =>
  describe(`event feed over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const atomic = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
      const append = (event: EventRecord) => EventLog.use((log) => atomic(log.append(event)))

      const published = (organizationId: OrganizationId, override: Partial<EventRecord> = {}) =>
        Effect.tap(Effect.succeed(anEvent({ organizationId, ...override })), append)

      const followed = (event: EventRecord): FollowedEvent => ({
        body: bodyOf(event),
        id: event.id,
        organizationId: event.organizationId,
        type: event.type
      })

      const idsOf = (events: ReadonlyArray<{ readonly id: EventId }>) => events.map(({ id }) => id)

      /** Reads, `limit` at a time, everything of the organization from a place up to the feed's end, and returns that end as well. */
      const readOn = (organizationId: OrganizationId, after: FeedPosition, limit = 100) =>
        Effect.gen(function* () {
          const feed = yield* EventFeed
          const upTo = yield* feed.end
          const events: Array<FollowedEvent> = []
          let from = after
          while (from !== upTo) {
            const read = yield* feed.read({ organizations: [organizationId], after: from, upTo, limit })
            assert.isAtMost(read.events.length, limit)
            events.push(...read.events)
            from = read.next
          }
          return { events, upTo }
        })

      /** Reads on as `readOn` does, again and again until all of `wanted` have come. */
      const readUntil = (organizationId: OrganizationId, after: FeedPosition, wanted: ReadonlyArray<EventId>) =>
        Effect.gen(function* () {
          const events: Array<FollowedEvent> = []
          let from = after
          for (let look = 0; look < LOOKS_MAX; look++) {
            const read = yield* readOn(organizationId, from)
            events.push(...read.events)
            from = read.upTo
            if (wanted.every((id) => idsOf(events).includes(id))) return events
            yield* Effect.sleep("5 millis")
          }
          throw new Error("Events that were published do not appear in the feed")
        })

      it.effect("gives an organization's events with the bytes that are sent, and nobody else's", () =>
        Effect.gen(function* () {
          const feed = yield* EventFeed
          const organizationId = anId(OrganizationId)
          const start = yield* feed.end
          const first = yield* published(organizationId, { data: '{"b":1,"a":"é 💡 \\u0000"}', type: "run.failed" })
          yield* published(anId(OrganizationId))
          const second = yield* published(organizationId)
          const events = yield* readUntil(organizationId, start, [first.id, second.id])
          assert.deepStrictEqual(events, [followed(first), followed(second)])
        })
      )

      it.effect("gives the events of several organizations in one order", () =>
        Effect.gen(function* () {
          const feed = yield* EventFeed
          const [one, two] = [anId(OrganizationId), anId(OrganizationId)]
          const start = yield* feed.end
          const made = []
          for (const organizationId of [one, two, one, two]) made.push(yield* published(organizationId))
          for (const event of made) yield* readUntil(event.organizationId, start, [event.id])
          const upTo = yield* feed.end
          const organizations = [one, two]
          const first = yield* feed.read({ organizations, after: start, upTo, limit: 3 })
          const rest = yield* feed.read({ organizations, after: first.next, upTo, limit: 3 })
          assert.deepStrictEqual(
            [idsOf(first.events), idsOf(rest.events)],
            [idsOf(made.slice(0, 3)), idsOf(made.slice(3))]
          )
          assert.strictEqual(rest.next, upTo)
        })
      )

      it.effect("goes on page by page without a loss or a repetition", () =>
        Effect.gen(function* () {
          const feed = yield* EventFeed
          const organizationId = anId(OrganizationId)
          const start = yield* feed.end
          const events = Array.from({ length: 7 }, () => anEvent({ organizationId }))
          // Three in one transaction, the others each in their own.
          yield* EventLog.use((log) => atomic(log.append(...events.slice(0, 3))))
          yield* Effect.forEach(events.slice(3), append)
          yield* readUntil(organizationId, start, idsOf(events))
          for (const limit of [1, 2, 7, 8]) {
            assert.deepStrictEqual(idsOf((yield* readOn(organizationId, start, limit)).events), idsOf(events))
          }
        })
      )

      it.effect("ends a page with the event that fills it, however many were asked for", () =>
        Effect.gen(function* () {
          const feed = yield* EventFeed
          const organizationId = anId(OrganizationId)
          const start = yield* feed.end
          const data = JSON.stringify("é".repeat(FEED_PAGE_BYTES / 8))
          const events = Array.from({ length: 6 }, () => anEvent({ organizationId, data }))
          yield* Effect.forEach(events, append)
          const isThere = Effect.map(feed.behind(organizationId, events[5]!.id), (place) => place !== undefined)
          yield* Effect.repeat(isThere, { until: (there) => there, schedule: Schedule.spaced("5 millis") })
          const organizations = [organizationId]
          const upTo = yield* feed.end
          const first = yield* feed.read({ organizations, after: start, upTo, limit: 100 })
          const rest = yield* feed.read({ organizations, after: first.next, upTo, limit: 100 })
          assert.deepStrictEqual(
            [idsOf(first.events), idsOf(rest.events)],
            [idsOf(events.slice(0, 4)), idsOf(events.slice(4))]
          )
          assert.strictEqual(rest.next, upTo)
        })
      )

      it.effect("goes on behind an event that was seen", () =>
        Effect.gen(function* () {
          const feed = yield* EventFeed
          const organizationId = anId(OrganizationId)
          const start = yield* feed.end
          const events = [
            yield* published(organizationId),
            yield* published(organizationId),
            yield* published(organizationId)
          ]
          yield* readUntil(organizationId, start, idsOf(events))
          for (const [index, { id }] of events.entries()) {
            const behind = yield* feed.behind(organizationId, id)
            assert.isDefined(behind)
            const rest = yield* readOn(organizationId, behind)
            assert.deepStrictEqual(idsOf(rest.events), idsOf(events.slice(index + 1)))
          }
        })
      )

      it.effect("knows no place behind an event that is unknown or another organization's", () =>
        Effect.gen(function* () {
          const feed = yield* EventFeed
          const organizationId = anId(OrganizationId)
          const start = yield* feed.end
          const { id } = yield* published(organizationId)
          yield* readUntil(organizationId, start, [id])
          assert.isUndefined(yield* feed.behind(anId(OrganizationId), id))
          assert.isUndefined(yield* feed.behind(organizationId, anId(EventId)))
        })
      )

      it.effect("has reached the places that it gave out, and none beyond its end or that is none", () =>
        Effect.gen(function* () {
          const feed = yield* EventFeed
          const organizationId = anId(OrganizationId)
          const start = yield* feed.end
          const { id } = yield* published(organizationId)
          yield* readUntil(organizationId, start, [id])
          const behind = yield* feed.behind(organizationId, id)
          for (const place of [start, behind ?? start, yield* feed.end]) assert.isTrue(yield* feed.hasReached(place))
          // A position begins with a number. The rest of it is the adapter's own, and stays.
          const numberless = start.replace(/^\d+/, "")
          for (const text of [
            `9000000000000000000${numberless}`,
            `${"9".repeat(20)}${numberless}`,
            `-1${numberless}`,
            // No position has a leading zero, whether or not it could be an octal number.
            `010${numberless}`,
            `09${numberless}`,
            "",
            "x"
          ]) {
            assert.isFalse(yield* feed.hasReached(FeedPosition.make(text)), text)
          }
        })
      )

      it.effect("gives nothing of a transaction that fails, and nothing for no organization", () =>
        Effect.gen(function* () {
          const feed = yield* EventFeed
          const organizationId = anId(OrganizationId)
          const start = yield* feed.end
          const lost = anEvent({ organizationId })
          yield* Effect.exit(
            atomic(
              Effect.andThen(
                EventLog.use((log) => log.append(lost)),
                Effect.fail("refused")
              )
            )
          )
          const { id } = yield* published(organizationId)
          assert.deepStrictEqual(idsOf(yield* readUntil(organizationId, start, [id])), [id])
          const upTo = yield* feed.end
          assert.deepStrictEqual(yield* feed.read({ organizations: [], after: start, upTo, limit: 9 }), {
            events: [],
            next: upTo
          })
        })
      )

      // An event that commits late has an older id: a reader that went by ids would miss it.
      it.effect("leaves out no event whose transaction commits after a later one's", () =>
        Effect.gen(function* () {
          const feed = yield* EventFeed
          const log = yield* EventLog
          const organizationId = anId(OrganizationId)
          const start = yield* feed.end
          const [slow, quick] = [anEvent({ organizationId }), anEvent({ organizationId })]
          // Everything read must be committed.
          const written = Effect.andThen(log.append(slow), log.find([slow.id]))
          const early = yield* overtaking(written, append(quick), readOn(organizationId, start))
          const missing = idsOf([slow, quick]).filter((id) => !idsOf(early.events).includes(id))
          const late = yield* readUntil(organizationId, early.upTo, missing)
          assert.sameMembers(idsOf([...early.events, ...late]), idsOf([slow, quick]))
        })
      )
    })
  })
