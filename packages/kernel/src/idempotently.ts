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
 * Decides about a key. A request with the same body as before gets the id of what that created; one with another body is
 * refused, and so is one that comes while another request holds the key. `earlier` is the record of the key, if there is one;
 * `isClaimed` says whether this request holds it now.
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

/** Claims a key for the transaction, and returns the id of what the key created before, if it did. */
const claimKey = Effect.fnUntraced(function* (request: IdempotencyRequest) {
  const idempotency = yield* Idempotency
  // One request has one claim; the default is there for the type alone.
  const [claim = Result.succeed(undefined)] = yield* idempotency.claim(request)
  return yield* Effect.fromResult(claim)
})

/**
 * The id of what an idempotency key created before, if it did. For use cases that do something before their transaction, such
 * as a look-up, on which a repeated request must not depend. The claim ends with a transaction of its own.
 */
export const createdBefore = Effect.fnUntraced(function* (request: IdempotencyRequest | undefined) {
  return request && (yield* atomic(claimKey(request)))
})

/**
 * Creates once per idempotency key. Must run inside the creation's own transaction, first thing after the scopes were
 * checked: a repeated request succeeds whatever limit is reached by now. `find` reads what the key created before, as it is
 * now.
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
  const earlier = yield* claimKey(request)
  if (earlier !== undefined) return { value: yield* steps.find(earlier), replayed: true }
  const value = yield* steps.create
  const idempotency = yield* Idempotency
  yield* idempotency.record({ request, resourceId: steps.idOf(value) })
  return { value, replayed: false }
})
