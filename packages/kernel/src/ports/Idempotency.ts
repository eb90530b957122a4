import { Context, type DateTime, Effect, Layer, type Result, Schema } from "effect"
import type { Transaction } from "./UnitOfWork.ts"

/** The same idempotency key came before with another body. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {
  key: Schema.String
}) {}

/** The request that first used this idempotency key has not finished yet. */
export class IdempotencyInProgress extends Schema.TaggedError<IdempotencyInProgress>()("IdempotencyInProgress", {
  key: Schema.String
}) {}

/** The parts by which two requests count as the same one. */
export interface IdempotencyRequest {
  /** The workspace, or else the organization. */
  readonly scope: string
  readonly route: string
  /** 1 to 255 visible characters, chosen by the caller. */
  readonly key: string
  /** The fingerprint of the body, by `Fingerprints`: no digest that others could make of a guess. */
  readonly bodyHash: string
}

/** The id of what a key created before, undefined for a key that is claimed, or why it is refused. */
export type Claim = Result.Result<string | undefined, IdempotencyKeyReused | IdempotencyInProgress>

/** How long an idempotency key is kept at least, in hours. */
export const IDEMPOTENCY_HOURS = 24

/** How many keys a portion has forgotten, and when its last one was claimed; undefined once there are no more. */
export interface PrunedKeys {
  readonly pruned: number
  readonly last: DateTime.Utc | undefined
}

/** Keeps idempotency keys until they are pruned, each beside what it created. Held by `idempotencyContract`. */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Claims each key for this transaction without waiting, and returns a result for each in their order: undefined for one
     * that is claimed now, or the id of what it created before. It is IdempotencyInProgress for a key that another open
     * transaction holds, or that came before among `requests`. Claims are undone with the transaction.
     */
    readonly claim: (
      ...requests: ReadonlyArray<IdempotencyRequest>
    ) => Effect.Effect<ReadonlyArray<Claim>, never, Transaction>
    /** Records what claimed keys created, each the resource of this id. */
    readonly record: (
      ...created: ReadonlyArray<{ readonly request: IdempotencyRequest; readonly resourceId: string }>
    ) => Effect.Effect<void, never, Transaction>
    /**
     * Forgets keys that were claimed more than `IDEMPOTENCY_HOURS` ago: a portion of at most `max`, the oldest first, of those
     * that were claimed after `after`. A key stays while what it created is needed, which `needed` says of the ids of
     * resources. The returned `last` is the `after` of the next portion.
     */
    readonly prune: <R>(
      needed: (resourceIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, never, R>,
      portion: { readonly after: DateTime.Utc | undefined; readonly max: number }
    ) => Effect.Effect<PrunedKeys, never, Transaction | R>
  }
>()("@agent-platform/kernel/Idempotency") {
  /** For hosts that take no idempotency keys. A request that has one is a defect: it would be done twice. */
  static readonly layerNone: Layer.Layer<Idempotency> = Layer.succeed(Idempotency, {
    claim: (...requests) =>
      requests.length === 0
        ? Effect.succeed([])
        : Effect.die(new Error("Idempotency keys cannot be kept: this is Idempotency.layerNone")),
    record: () => Effect.void,
    prune: () => Effect.succeed({ pruned: 0, last: undefined })
  })
}
