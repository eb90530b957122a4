import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { ActivityId, type ActivityRecord, NotificationId, type NotificationRecord } from "../Feed.ts"
import type { OrganizationId } from "../Ids.ts"
import { FeedLog, NOTICES_POSTED } from "../ports/FeedLog.ts"
import { Signals } from "../ports/Signals.ts"
import { UnitOfWork } from "../ports/UnitOfWork.ts"
import { aNotification, anActivity } from "./builders.ts"
import { aTenant, type Tenant, type Tenants } from "./Tenants.ts"

/** Reads the entries of an organization, oldest first, which the port itself cannot. */
export interface FeedReading<R> {
  readonly activity: (organizationId: OrganizationId) => Effect.Effect<ReadonlyArray<ActivityRecord>, never, R>
  readonly notifications: (organizationId: OrganizationId) => Effect.Effect<ReadonlyArray<NotificationRecord>, never, R>
}

/** Holds a feed log to its port. */
export const feedLogContract = <R, E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | FeedLog | Signals | Tenants | R, E>,
  reading: FeedReading<R>
) =>
  describe(`feed log over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("keeps entries and notices as they were written", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* FeedLog
          const tenant = yield* aTenant()
          const { organizationId } = tenant
          const entry = anActivity({ ...tenant, payload: { name: "é 💡", count: 3, list: [null, true] } })
          const organizations = anActivity({ organizationId, workspaceId: null, id: ActivityId.make(later(entry.id)) })
          const notice = aNotification(tenant)
          const everybodys = aNotification({
            organizationId,
            workspaceId: null,
            id: NotificationId.make(later(notice.id))
          })
          yield* unit.atomic(
            Effect.all([log.record(entry), log.record(organizations), log.notify(notice), log.notify(everybodys)])
          )
          assert.deepStrictEqual(yield* reading.activity(organizationId), [entry, organizations])
          assert.deepStrictEqual(yield* reading.notifications(organizationId), [notice, everybodys])
        })
      )

      it.effect("keeps several that are written at once", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* FeedLog
          const tenant = yield* aTenant()
          const entry = anActivity(tenant)
          const entries = [entry, anActivity({ ...tenant, id: ActivityId.make(later(entry.id)) })]
          const notice = aNotification(tenant)
          const notices = [notice, aNotification({ ...tenant, id: NotificationId.make(later(notice.id)) })]
          yield* unit.atomic(Effect.all([log.record(...entries), log.notify(...notices)]))
          assert.deepStrictEqual(yield* reading.activity(tenant.organizationId), entries)
          assert.deepStrictEqual(yield* reading.notifications(tenant.organizationId), notices)
        })
      )

      const minuteOf = (at: DateTime.Utc) => DateTime.startOf(at, "minute").epochMilliseconds

      /** The entries of what tallies under one key, and how many minutes it took: the store's clock and ours are the same. */
      const tallied = Effect.fnUntraced(function* (tenant: Tenant, counts: ReadonlyArray<number>) {
        const unit = yield* UnitOfWork
        const log = yield* FeedLog
        const begun = yield* DateTime.now
        const entries = counts.map((count) => anActivity({ ...tenant, payload: { last: count } }))
        yield* Effect.forEach(
          entries,
          (entry, index) => unit.atomic(log.tally({ entry, key: "api_key.refused", count: counts[index] ?? 0 })),
          { concurrency: "unbounded" }
        )
        const minutes = (minuteOf(yield* DateTime.now) - minuteOf(begun)) / 60_000 + 1
        return { entries, kept: yield* reading.activity(tenant.organizationId), minutes }
      })

      const countOf = ({ payload }: ActivityRecord) => Number(payload["count"])

      it.effect("keeps one entry of what is tallied under one key in a minute, with all of its counts", () =>
        Effect.gen(function* () {
          const counts = [1, 2, 4, 8, 16, 32, 64, 128]
          const { entries, kept, minutes } = yield* tallied(yield* aTenant(), counts)
          assert.isAtMost(kept.length, minutes)
          assert.strictEqual(
            kept.map(countOf).reduce((sum, count) => sum + count, 0),
            255
          )
          for (const { id, payload } of kept) {
            assert.isTrue(entries.some((entry) => entry.id === id))
            assert.include(counts, payload["last"])
          }
        })
      )

      it.effect("tallies several keys and organizations at once, each by itself", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* FeedLog
          const [one, two] = [yield* aTenant(), yield* aTenant()]
          const tally = (tenant: Tenant, key: string, count: number) => ({ entry: anActivity(tenant), key, count })
          yield* unit.atomic(log.tally(tally(one, "a", 1), tally(one, "b", 2), tally(two, "a", 3)))
          const countsOf = ({ organizationId }: Tenant) =>
            Effect.map(reading.activity(organizationId), (entries) => entries.map(countOf))
          assert.sameMembers([...(yield* countsOf(one))], [1, 2])
          assert.deepStrictEqual(yield* countsOf(two), [3])
        })
      )

      it.effect("keeps a tally as it was written, with its count in the payload", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* FeedLog
          const entry = anActivity({ ...(yield* aTenant()), payload: { reason: "revoked" } })
          yield* unit.atomic(log.tally({ entry, key: "api_key.refused", count: 3 }))
          assert.deepStrictEqual(yield* reading.activity(entry.organizationId), [
            { ...entry, payload: { reason: "revoked", count: 3 } }
          ])
        })
      )

      it.effect("wakes the followers of notices once they are committed", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* FeedLog
          const signals = yield* Signals
          const notice = aNotification(yield* aTenant())
          const next = yield* signals.listen(NOTICES_POSTED)
          yield* unit.atomic(log.notify(notice))
          assert.strictEqual((yield* Effect.timeoutOption(next(60), "3 seconds"))._tag, "Some")
        })
      )

      it.effect("keeps nothing of a transaction that failed", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* FeedLog
          const tenant = yield* aTenant()
          const entry = anActivity(tenant)
          const tally = { entry: anActivity(tenant), key: "api_key.refused", count: 1 }
          const notice = aNotification(tenant)
          yield* Effect.flip(
            unit.atomic(
              Effect.andThen(Effect.all([log.record(entry), log.tally(tally), log.notify(notice)]), Effect.fail("no"))
            )
          )
          assert.isEmpty(yield* reading.activity(entry.organizationId))
          assert.isEmpty(yield* reading.notifications(entry.organizationId))
        })
      )
    })
  })

/** An id that sorts right behind `id`. */
const later = (id: string): string =>
  `${id.slice(0, -12)}${(BigInt(`0x${id.slice(-12)}`) + 1n).toString(16).padStart(12, "0")}`
