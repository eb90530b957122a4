/** The statements alone: deliveries written as a worker writes them, with nothing sent. */
import { EventId, UnitOfWork } from "@agent-platform/kernel"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { type AttemptedDelivery, DeliverySettlement, newDelivery } from "@agent-platform/webhooks"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import type { BenchTenant } from "./tenants.ts"

const BATCH = 512

/** Writes so many delivered deliveries in batches, one batch after another, and answers how many a second. */
export const writeDeliveries = (databaseUrl: string, tenant: BenchTenant, count: number): Promise<number> =>
  Effect.gen(function* () {
    const store = yield* DeliverySettlement
    const unit = yield* UnitOfWork
    const now = yield* DateTime.now
    const [endpoint] = tenant.endpoints
    if (endpoint === undefined) return 0
    const attempt = {
      attemptedAt: now,
      durationMillis: 12,
      responseCode: 200,
      error: null,
      responseExcerpt: "ok",
      remoteIp: "127.0.0.1"
    }
    const begun = performance.now()
    for (let written = 0; written < count; written += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - written) }, (): AttemptedDelivery => {
        const event = { id: EventId.make(SecureRandom.uuidV7Unsafe()), type: "run.succeeded" }
        const delivery = newDelivery(endpoint, event, now)
        return {
          delivery: { ...delivery, state: "delivered", attemptCount: 1, nextAttemptAt: null, deliveredAt: now },
          attempt
        }
      })
      yield* unit.atomic(store.insertAttempted(batch))
    }
    return count / ((performance.now() - begun) / 1000)
  }).pipe(
    Effect.provide(Layer.provideMerge(postgres, layerClient({ url: Redacted.make(databaseUrl), maxConnections: 2 }))),
    Effect.orDie,
    Effect.runPromise
  )
