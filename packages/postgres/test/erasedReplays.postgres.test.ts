/** A delivery is sent again while its event is erased. */
import { atomic, EventLog, Uuid } from "@agent-platform/kernel"
import { anEvent, anId, aTenant } from "@agent-platform/kernel/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { DeliveryEraser, DeliverySettlement, EndpointStore, newDelivery } from "@agent-platform/webhooks"
import { anEndpoint } from "@agent-platform/webhooks/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = layerTenants.pipe(Layer.provideMerge(postgres), Layer.provideMerge(databaseLayer))

/** An event of a run, and what erases that run's. */
const given = Effect.gen(function* () {
  const { organizationId, workspaceId } = yield* aTenant()
  const endpoint = anEndpoint({ organizationId })
  yield* atomic(EndpointStore.use((store) => store.insert(endpoint)))
  const sql = yield* SqlClient.SqlClient
  const runId = anId(Uuid)
  const event = anEvent({ organizationId, workspaceId, runId })
  yield* atomic(EventLog.use((log) => log.append(event)))
  const what = { _tag: "Resources", organizationId, workspaceId, ids: [runId] } as const
  const left = sql`select from agent_platform.webhook_delivery where event_id = ${event.id}`
  const someWait = Effect.gen(function* () {
    const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    while ((yield* waiting).length === 0) yield* Effect.sleep("5 millis")
  })
  const [done, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const pausing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(Effect.tap(() => Effect.andThen(Deferred.succeed(done, undefined), Deferred.await(go))))
  return {
    ...{ done, event, go, left, pausing, someWait },
    erase: DeliveryEraser.use((eraser) => eraser.erase(what, 100)),
    hold: EventLog.use((log) => log.hold(event.id)),
    replay: Effect.gen(function* () {
      const held = yield* EventLog.use((log) => log.hold(event.id))
      if (held === undefined) return
      const delivery = newDelivery(endpoint, event, yield* DateTime.now)
      yield* DeliverySettlement.use((deliveries) => deliveries.insert([delivery]))
    })
  }
})

describe("a replay while its event is erased", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    it.effect("is waited for, and what it wrote is erased as well", () =>
      Effect.gen(function* () {
        const { done, erase, go, left, pausing, replay, someWait } = yield* given
        const replaying = yield* Effect.forkChild(atomic(pausing(replay)))
        yield* Deferred.await(done)
        const erasing = yield* Effect.forkChild(atomic(erase))
        yield* someWait
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(replaying)
        assert.deepInclude((yield* Fiber.join(erasing)).counts, { events: 1, deliveries: 1 })
        assert.lengthOf(yield* left, 0)
      })
    )

    it.effect("finds no event once that is gone", () =>
      Effect.gen(function* () {
        const { done, erase, go, hold, left, pausing, replay, someWait } = yield* given
        const erasing = yield* Effect.forkChild(atomic(pausing(erase)))
        yield* Deferred.await(done)
        const replaying = yield* Effect.forkChild(atomic(replay))
        yield* someWait
        yield* Deferred.succeed(go, undefined)
        yield* Effect.all([Fiber.join(erasing), Fiber.join(replaying)])
        assert.isUndefined(yield* atomic(hold))
        assert.lengthOf(yield* left, 0)
      })
    )
  })
})
