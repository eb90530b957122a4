/** Workers that claim deliveries at the same moment, as only a database with many connections shows it. */
import { atomic, EventLog } from "@agent-platform/kernel"
import { anEvent, anId } from "@agent-platform/kernel/testing"
import { layer as postgres } from "@agent-platform/postgres"
import {
  type ClaimedDelivery,
  DeliveryQueue,
  DeliverySettlement,
  EndpointId,
  EndpointStore
} from "@agent-platform/webhooks"
import { aDelivery, aFoundedEndpoint } from "@agent-platform/webhooks/testing"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const NOW = DateTime.makeUnsafe("2025-11-21T12:00:00.000Z")

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
        yield* DeliverySettlement.use((store) =>
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

/** Stores endpoints, each with so many due deliveries, those of the first due first, and nothing else. Answers their ids. */
const storeEndpoints = (due: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { organizationId } = yield* aFoundedEndpoint()
    const ids = due.map(() => anId(EndpointId))
    yield* sql`delete from webhook_delivery`
    const asked = JSON.stringify(ids.map((id, place) => ({ id, place, due: due[place] })))
    yield* sql`
      with asked as (
        select (row->>'id')::uuid as id, (row->>'place')::int as place, (row->>'due')::int as due
        from jsonb_array_elements(${asked}::text::jsonb) as row
      ), endpoint as (
        insert into webhook_endpoint (organization_id, id, url, event_types, status, sealed_secret, created_at)
        select ${organizationId}::uuid, id, '', '{}', 'active', '', now() from asked
      )
      insert into webhook_delivery (
        endpoint_id, event_id, organization_id, event_type, state, attempt_count, failures, next_attempt_at, due_at, created_at
      )
      select id, uuidv7(), ${organizationId}::uuid, 'run.failed', 'pending', 0, 0, due_at, due_at, now()
      from asked, generate_series(1, asked.due),
        lateral (select now() - interval '1 hour' + asked.place * interval '1 second' as due_at) as time
    `
    return ids
  })

const claim = (max: number, endpointLimits: ReadonlyMap<EndpointId, number> = new Map()) =>
  DeliveryQueue.use((store) =>
    store.claimDue({ max, perEndpoint: 100, perOrganization: 1_000, endpointLimits, leaseSeconds: 60 })
  )

/** How many of the claimed deliveries each endpoint has. */
const countsOf = (claimed: ReadonlyArray<ClaimedDelivery>) => {
  const counts = new Map<string, number>()
  for (const { delivery } of claimed) counts.set(delivery.endpointId, (counts.get(delivery.endpointId) ?? 0) + 1)
  return counts
}

suite(Layer.provideMerge(Layer.merge(postgres, layerTenants), databaseLayer), { excludeTestServices: true })(
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

    it.effect("reach what is due later elsewhere, however much is due at endpoints without capacity", () =>
      Effect.gen(function* () {
        const [full = anId(EndpointId), narrow = anId(EndpointId), ...others] = yield* storeEndpoints([
          3_000, 3_000, 1, 2, 3
        ])
        const endpointLimits = new Map([
          [full, 0],
          [narrow, 2]
        ])
        const counts = countsOf(yield* claim(64, endpointLimits))
        assert.deepStrictEqual(
          [full, narrow, ...others].map((id) => counts.get(id) ?? 0),
          [0, 2, 1, 2, 3]
        )
      })
    )

    it.effect("go on where the last one ended, when more endpoints have something due than one asks", () =>
      Effect.gen(function* () {
        const [full = anId(EndpointId), ...others] = yield* storeEndpoints([
          2_000,
          ...Array.from({ length: 300 }, () => 1)
        ])
        const endpointLimits = new Map([[full, 0]])
        const first = yield* claim(300, endpointLimits)
        const second = yield* claim(300, endpointLimits)
        assert.isBelow(first.length, 300)
        assert.deepStrictEqual([...countsOf([...first, ...second]).keys()].sort(), [...others].sort())
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
