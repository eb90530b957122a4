import { Context, type DateTime, type Effect, Schema } from "effect"
import type { Transaction } from "./UnitOfWork.ts"

/** The same idempotency key came before with another body. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {
  key: Schema.String
}) {}

/** The request that first used this idempotency key has not finished yet. */
export class IdempotencyInProgress extends Schema.TaggedError<IdempotencyInProgress>()("IdempotencyInProgress", {
  key: Schema.String
}) {}

/** What makes two requests the same one. */
export interface IdempotencyRequest {
  /** The workspace, or else the organization. */
  readonly scope: string
  readonly route: string
  /** 1 to 255 visible characters, chosen by the caller. */
  readonly key: string
  /** The fingerprint of the body, by `Fingerprints`: no digest that others could make of a guess. */
  readonly bodyHash: string
}

/** How long an idempotency key is kept at least, in hours. */
export const IDEMPOTENCY_HOURS = 24

/** What came of a portion of keys. */
export interface PrunedKeys {
  readonly pruned: number
  readonly last: DateTime.Utc | undefined
}

/** Keeps idempotency keys until they are pruned, each beside what it created. Held by `idempotencyContract`. */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Claims the key for this transaction and answers undefined, or answers the id of what it created before. The
     * claim is undone with the transaction. While another open transaction holds it: IdempotencyInProgress, at once.
     */
    readonly claim: (
      request: IdempotencyRequest
    ) => Effect.Effect<string | undefined, IdempotencyKeyReused | IdempotencyInProgress, Transaction>
    /**
     * Claims those of the keys that are new, and answers of each, in their order, whether it did: not of one that has created
     * something, that another open transaction holds, or that came before among the same. Waits for nobody.
     */
    readonly claimNew: (
      requests: ReadonlyArray<IdempotencyRequest>
    ) => Effect.Effect<ReadonlyArray<boolean>, never, Transaction>
    /** Records what claimed keys created, each the resource of this id. */
    readonly record: (
      ...created: ReadonlyArray<{ readonly request: IdempotencyRequest; readonly resourceId: string }>
    ) => Effect.Effect<void, never, Transaction>
    /**
     * Forgets keys that were claimed before `IDEMPOTENCY_HOURS` hours: a portion of those that were claimed after `after`, the
     * oldest first. Those stay that created something which is still needed: of the ids of resources, `needed` answers which
     * are. Answers how many went, and after when it goes on; undefined once there are no more.
     */
    readonly prune: <R>(
      needed: (resourceIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, never, R>,
      portion: { readonly after: DateTime.Utc | undefined; readonly max: number }
    ) => Effect.Effect<PrunedKeys, never, Transaction | R>
  }
>()("@agent-platform/kernel/Idempotency") {}
