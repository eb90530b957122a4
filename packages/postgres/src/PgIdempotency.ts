import {
  Idempotency,
  IdempotencyInProgress,
  IdempotencyKeyReused,
  type IdempotencyRequest
} from "@agent-platform/kernel"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { timestamp } from "./columns.ts"

/** How long a key is kept after it was recorded. */
const KEPT_HOURS = 24

const keptSince = Effect.map(DateTime.now, DateTime.subtract({ hours: KEPT_HOURS }))

const lockName = (request: IdempotencyRequest) =>
  `idempotency_key:${JSON.stringify([request.scope, request.route, request.key])}`

/**
 * Idempotency keys in the table `idempotency_key`. A claim is an advisory lock of the transaction, which ends with it
 * however it ends; the row is written once, by `record`. Two keys share a lock with a chance of 1 in 2^64, and then only
 * the later of two requests at the same moment is told to come again.
 */
export const layer: Layer.Layer<Idempotency, never, SqlClient.SqlClient> = Layer.effect(
  Idempotency,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Idempotency.of({
      claim: Effect.fnUntraced(function* (request) {
        const locked = yield* sql<{ readonly locked: boolean }>`
          select pg_try_advisory_xact_lock(hashtextextended(${lockName(request)}, 0)) as locked
        `.pipe(Effect.orDie)
        if (locked[0]?.locked !== true) return yield* new IdempotencyInProgress({ key: request.key })
        // A statement of its own: one that takes the lock would read by a snapshot from before it had it.
        const found = yield* sql<{ readonly body_hash: string; readonly resource_id: string }>`
          select body_hash, resource_id from idempotency_key
          where scope = ${request.scope} and route = ${request.route} and key = ${request.key}
            and claimed_at > ${timestamp(yield* keptSince)}
        `.pipe(Effect.orDie)
        const earlier = found[0]
        if (earlier === undefined) return undefined
        if (earlier.body_hash !== request.bodyHash) return yield* new IdempotencyKeyReused({ key: request.key })
        return earlier.resource_id
      }),
      record: Effect.fnUntraced(function* (request, resourceId) {
        const claimedAt = timestamp(yield* DateTime.now)
        // Only an expired key can be there already: the claim saw none that is still kept, and holds the lock.
        yield* sql`
          insert into idempotency_key (scope, route, key, body_hash, resource_id, claimed_at)
          values (${request.scope}, ${request.route}, ${request.key}, ${request.bodyHash}, ${resourceId}, ${claimedAt})
          on conflict (scope, route, key) do update
          set body_hash = excluded.body_hash, resource_id = excluded.resource_id, claimed_at = excluded.claimed_at
        `.pipe(Effect.orDie)
      }),
      prune: Effect.gen(function* () {
        const rows = yield* sql<{ readonly pruned: number }>`
          with gone as (delete from idempotency_key where claimed_at <= ${timestamp(yield* keptSince)} returning 1)
          select count(*)::int as pruned from gone
        `.pipe(Effect.orDie)
        return rows[0]?.pruned ?? 0
      })
    })
  )
)
