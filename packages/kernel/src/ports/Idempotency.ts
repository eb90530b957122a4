import { Context, type Effect, Schema } from "effect"
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
  /** The SHA-256 of the body's canonical JSON, in hex. */
  readonly bodyHash: string
}

/** Keeps idempotency keys for 24 hours, each beside what it created. Held by `idempotencyContract`. */
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
    /** Records what the claimed key created. */
    readonly record: (request: IdempotencyRequest, resourceId: string) => Effect.Effect<void, never, Transaction>
    /** Forgets keys claimed more than 24 hours ago and answers how many. */
    readonly prune: Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/kernel/Idempotency") {}
