import { DateTime, Effect, Layer } from "effect"
import { IDEMPOTENCY_HOURS, Idempotency, IdempotencyKeyReused, type IdempotencyRequest } from "../ports/Idempotency.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

interface Claim {
  readonly place: string
  readonly bodyHash: string
  readonly resourceId: string | undefined
  readonly claimedAt: number
}

const KEPT_MILLIS = IDEMPOTENCY_HOURS * 3600 * 1000

/** Idempotency keys over a `MemoryDatabase`; its one lock means that none is ever found in progress. */
export const layerIdempotency: Layer.Layer<Idempotency, never, MemoryDatabase> = Layer.effect(
  Idempotency,
  MemoryDatabase.use((database) => {
    const claims = database.table<Claim>("idempotency_key")
    const place = (request: IdempotencyRequest) => JSON.stringify([request.scope, request.route, request.key])
    const now = Effect.map(DateTime.now, DateTime.toEpochMillis)
    return Effect.succeed(
      Idempotency.of({
        claim: (request) =>
          Effect.gen(function* () {
            const claimedAt = yield* now
            const earlier = yield* claims.get(place(request))
            if (earlier !== undefined) {
              if (earlier.bodyHash !== request.bodyHash) return yield* new IdempotencyKeyReused({ key: request.key })
              return earlier.resourceId
            }
            const claim = { place: place(request), bodyHash: request.bodyHash, resourceId: undefined, claimedAt }
            yield* claims.put(claim.place, claim)
            return undefined
          }),
        record: (request, resourceId) =>
          Effect.flatMap(claims.get(place(request)), (claim) =>
            claim === undefined
              ? Effect.die(new Error("An idempotency key is recorded only after it was claimed"))
              : claims.put(place(request), { ...claim, resourceId })
          ),
        prune: (needed) =>
          Effect.gen(function* () {
            const oldest = (yield* now) - KEPT_MILLIS
            const old = (yield* claims.all).filter((claim) => claim.claimedAt <= oldest)
            const kept = yield* needed(old.flatMap(({ resourceId }) => (resourceId === undefined ? [] : [resourceId])))
            const gone = old.filter(({ resourceId }) => resourceId === undefined || !kept.has(resourceId))
            yield* Effect.forEach(gone, (claim) => claims.remove(claim.place), { discard: true })
            return gone.length
          })
      })
    )
  })
)
