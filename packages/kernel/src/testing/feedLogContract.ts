import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { ActivityId, type ActivityRecord, NotificationId, type NotificationRecord } from "../Feed.ts"
import type { OrganizationId } from "../Ids.ts"
import { FeedLog, NOTICES_POSTED } from "../ports/FeedLog.ts"
import { Signals } from "../ports/Signals.ts"
import { UnitOfWork } from "../ports/UnitOfWork.ts"
import { aNotification, anActivity } from "./builders.ts"
import { aTenant, type Tenants } from "./Tenants.ts"

/** What a feed log holds of an organization, oldest first; how an adapter is asked that is not the port's to say. */
export interface FeedReading<R> {
  readonly activity: (organizationId: OrganizationId) => Effect.Effect<ReadonlyArray<ActivityRecord>, never, R>
  readonly notifications: (organizationId: OrganizationId) => Effect.Effect<ReadonlyArray<NotificationRecord>, never, R>
}

/** What every feed log must hold. */
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

      it.effect("wakes whoever follows notices once they are committed", () =>
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
          const notice = aNotification(tenant)
          yield* Effect.flip(
            unit.atomic(Effect.andThen(Effect.all([log.record(entry), log.notify(notice)]), Effect.fail("no")))
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
