/** Workers that claim deliveries at the same moment, as only a database with many connections shows it. */
import { EventLog, UnitOfWork } from "@agent-platform/kernel"
import { anEvent } from "@agent-platform/kernel/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { DeliveryStore, EndpointStore } from "@agent-platform/webhooks"
import { aDelivery, aFoundedEndpoint } from "@agent-platform/webhooks/testing"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const NOW = DateTime.makeUnsafe("2025-11-21T12:00:00.000Z")

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

/** Stores so many due deliveries to one endpoint. */
const storeDue = (count: number) =>
  Effect.gen(function* () {
    const endpoint = yield* aFoundedEndpoint()
    const { organizationId } = endpoint
    const events = Array.from({ length: count }, () => anEvent({ organizationId }))
    yield* atomic(
      Effect.gen(function* () {
        yield* EndpointStore.use((store) => store.insert(endpoint))
        yield* Effect.forEach(events, (event) => EventLog.use((log) => log.append(event)), { discard: true })
        yield* DeliveryStore.use((store) =>
          store.insert(
            events.map((event) =>
              aDelivery({
                endpointId: endpoint.id,
                eventId: event.id,
                organizationId,
                createdAt: NOW,
                nextAttemptAt: NOW
              })
            )
          )
        )
      })
    )
  })

const claim = (max: number) =>
  DeliveryStore.use((store) =>
    store.claimDue({ max, perEndpoint: 100, perOrganization: 100, rooms: new Map(), leaseSeconds: 60 })
  )

suite(Layer.provide(Layer.merge(postgres, layerTenants), databaseLayer), { excludeTestServices: true })(
  "claims over Postgres",
  (it) => {
    it.effect("do not wait for each other, and take different deliveries", () =>
      Effect.gen(function* () {
        yield* storeDue(8)
        const [claimed, over] = [yield* Deferred.make<ReadonlyArray<string>>(), yield* Deferred.make<void>()]
        const first = yield* Effect.forkChild(
          atomic(
            Effect.gen(function* () {
              const mine = yield* claim(5)
              yield* Deferred.succeed(
                claimed,
                mine.map((one) => one.delivery.eventId)
              )
              yield* Deferred.await(over)
            })
          )
        )
        const mine = yield* Deferred.await(claimed)
        // The first claim is not committed: its rows are locked, and still look due to everybody else.
        const others = yield* Effect.timeoutOption(claim(5), "5 seconds")
        yield* Deferred.succeed(over, undefined)
        yield* Fiber.join(first)
        assert.strictEqual(mine.length, 5)
        assert.strictEqual(others._tag === "Some" ? others.value.length : 0, 3)
        const ids = others._tag === "Some" ? others.value.map((one) => one.delivery.eventId) : []
        assert.strictEqual(new Set<string>([...mine, ...ids]).size, 8)
      })
    )

    // A row may have been claimed between the look at what is due and the lock: it is asked again once it is locked.
    it.effect("hand no delivery to two of sixteen who claim all the time", () =>
      Effect.gen(function* () {
        yield* storeDue(4000)
        const worker = Effect.gen(function* () {
          const taken: Array<string> = []
          while (true) {
            const claimed = yield* claim(10)
            if (claimed.length === 0) return taken
            taken.push(...claimed.map((one) => one.delivery.eventId))
          }
        })
        const taken = yield* Effect.all(
          Array.from({ length: 16 }, () => worker),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(taken.flat()).size, taken.flat().length)
      })
    )
  }
)
