import { Effect, Result } from "effect"
import {
  type Claim,
  Idempotency,
  IdempotencyInProgress,
  IdempotencyKeyReused,
  type IdempotencyRequest
} from "./ports/Idempotency.ts"
import { atomic } from "./ports/UnitOfWork.ts"

/** The answer of a creation, and whether an earlier request had created it already. */
export interface Created<A> {
  readonly value: A
  readonly replayed: boolean
}

/**
 * The rule of a key. With the same body it is answered by what it created; with another one it is refused; and so it is while
 * another request holds it. `earlier` is what was recorded of it, `isClaimed` whether this request has it now.
 */
export const claimOf = (
  { bodyHash, key }: IdempotencyRequest,
  earlier: { readonly bodyHash: string; readonly resourceId: string } | undefined,
  isClaimed: boolean
): Claim => {
  if (earlier === undefined) {
    return isClaimed ? Result.succeed(undefined) : Result.fail(new IdempotencyInProgress({ key }))
  }
  return earlier.bodyHash === bodyHash
    ? Result.succeed(earlier.resourceId)
    : Result.fail(new IdempotencyKeyReused({ key }))
}

/** Claims a key for the transaction; answers the id of what it created before, if it did. */
const claimed = Effect.fnUntraced(function* (request: IdempotencyRequest) {
  const idempotency = yield* Idempotency
  const [claim = Result.succeed(undefined)] = yield* idempotency.claim(request)
  return yield* Effect.fromResult(claim)
})

/**
 * The id of what an idempotency key created before, if it did: for use cases that have something to do outside of the
 * transaction first, which a replay must not depend on. The claim of its own transaction is given up again.
 */
export const createdBefore = Effect.fnUntraced(function* (request: IdempotencyRequest | undefined) {
  return request && (yield* atomic(claimed(request)))
})

/**
 * Creates once per idempotency key. Must run inside the creation's own transaction, first thing after the scopes
 * were checked: a replay comes before every limit. `find` reads the current state of what the key created before.
 */
export const idempotently = Effect.fnUntraced(function* <A, E1, R1, E2, R2>(
  request: IdempotencyRequest | undefined,
  steps: {
    readonly create: Effect.Effect<A, E1, R1>
    readonly idOf: (value: A) => string
    readonly find: (id: string) => Effect.Effect<A, E2, R2>
  }
) {
  if (request === undefined) return { value: yield* steps.create, replayed: false }
  const earlier = yield* claimed(request)
  if (earlier !== undefined) return { value: yield* steps.find(earlier), replayed: true }
  const value = yield* steps.create
  const idempotency = yield* Idempotency
  yield* idempotency.record({ request, resourceId: steps.idOf(value) })
  return { value, replayed: false }
})
