import { Context, Effect, Layer } from "effect"
import type { Transaction } from "./UnitOfWork.ts"

/** Keeps the one key of `Fingerprints`, sealed. Held by `fingerprintKeyStoreContract`. */
export class FingerprintKeyStore extends Context.Service<
  FingerprintKeyStore,
  {
    /** The key as it is sealed; undefined before there is one. */
    readonly find: Effect.Effect<string | undefined>
    /** Keeps the key, unless there is one: of any number that are inserted at once, one stays. */
    readonly insert: (sealed: string) => Effect.Effect<void, never, Transaction>
    /** Puts `resealed` in the place of `sealed`, if that is still there, and returns whether it was. */
    readonly replace: (sealed: string, resealed: string) => Effect.Effect<boolean, never, Transaction>
  }
>()("@agent-platform/kernel/FingerprintKeyStore") {
  /** For hosts that make no fingerprints. To make their key is a defect: another process would make another. */
  static readonly layerNone: Layer.Layer<FingerprintKeyStore> = Layer.succeed(FingerprintKeyStore, {
    find: Effect.succeed(undefined),
    insert: () => Effect.die(new Error("No fingerprint can be made: FingerprintKeyStore.layerNone keeps no key")),
    replace: () => Effect.succeed(false)
  })
}
