import type { SealedValue, Transaction } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { RecordKey } from "../RecordKey.ts"

/** Keeps the keys that sign records. Tested by `recordKeyStoreContract`. */
export class RecordKeyStore extends Context.Service<
  RecordKeyStore,
  {
    /** The key that signs, of which there is at most one. */
    readonly current: Effect.Effect<RecordKey | undefined>
    /** Every key there ever was, newest first. */
    readonly list: Effect.Effect<ReadonlyArray<RecordKey>>
    /** Keeps others from making keys until the transaction ends. */
    readonly hold: Effect.Effect<void, never, Transaction>
    /** Adds a key, under `hold`, and retires the one that signed until then at `key.createdAt`. */
    readonly insert: (key: RecordKey) => Effect.Effect<void, never, Transaction>
    /** Up to `limit` private keys, retired ones included, after a position and in its order. */
    readonly sealedPrivateKeys: (after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<SealedValue>>
    /** Puts `resealed` in the place of a private key that is still `value.sealed`; false when it is not. */
    readonly replaceSealedPrivateKey: (
      value: SealedValue,
      resealed: string
    ) => Effect.Effect<boolean, never, Transaction>
  }
>()("@agent-platform/runs/RecordKeyStore") {
  /** For hosts that export no records: there is no key, and making one is a defect that says so. */
  static readonly layerNone: Layer.Layer<RecordKeyStore> = Layer.succeed(RecordKeyStore, {
    current: Effect.succeed(undefined),
    list: Effect.succeed([]),
    hold: Effect.void,
    insert: () => Effect.die(new Error("Records cannot be signed: RecordKeyStore.layerNone keeps no keys")),
    sealedPrivateKeys: () => Effect.succeed([]),
    replaceSealedPrivateKey: () => Effect.succeed(false)
  })
}
