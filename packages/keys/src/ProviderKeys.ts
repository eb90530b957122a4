import {
  EventLog,
  FeedLog,
  Fingerprints,
  Idempotency,
  Outbox,
  Overrides,
  Quotas,
  SecretBox,
  UnitOfWork
} from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ProviderKey } from "./ProviderKey.ts"
import { USE_APART_SECONDS } from "./ports/ApiKeyStore.ts"
import { PlatformKeys } from "./ports/PlatformKeys.ts"
import { ProviderKeyStore } from "./ports/ProviderKeyStore.ts"
import { ProviderProbe } from "./ports/ProviderProbe.ts"
import { TenancyStore } from "./ports/TenancyStore.ts"
import { makeUseNotes } from "./UseNotes.ts"
import { chooseProviderKeys } from "./use-cases/provider-keys/chooseProviderKeys.ts"
import { listProviderKeys } from "./use-cases/provider-keys/listProviderKeys.ts"
import { probeProviderKeys } from "./use-cases/provider-keys/probeProviderKeys.ts"
import { registerProviderKey } from "./use-cases/provider-keys/registerProviderKey.ts"
import { reportKeyLimited } from "./use-cases/provider-keys/reportKeyLimited.ts"
import { reportKeyRejected } from "./use-cases/provider-keys/reportKeyRejected.ts"
import { reportKeyWorked } from "./use-cases/provider-keys/reportKeyWorked.ts"
import { revokeProviderKey } from "./use-cases/provider-keys/revokeProviderKey.ts"
import { updateProviderKey } from "./use-cases/provider-keys/updateProviderKey.ts"
import { validateProviderKey } from "./use-cases/provider-keys/validateProviderKey.ts"

const make = Effect.gen(function* () {
  const store = yield* ProviderKeyStore
  const noteUse = yield* makeUseNotes({
    things: "provider keys",
    idOf: (key: ProviderKey) => key.id,
    lastUsedAt: (key) => key.lastUsedAt,
    apartSeconds: USE_APART_SECONDS,
    useOf: ({ id }, at) => ({ id, at }),
    write: store.markUsed
  })
  const bind = yield* makeBind(
    ProviderKeyStore,
    ProviderProbe,
    PlatformKeys,
    TenancyStore,
    SecretBox,
    EventLog,
    FeedLog,
    Fingerprints,
    Idempotency,
    Outbox,
    Overrides,
    Quotas,
    UnitOfWork,
    SecureRandom.SecureRandom
  )
  return {
    registerProviderKey: bind(registerProviderKey),
    listProviderKeys: bind(listProviderKeys),
    updateProviderKey: bind(updateProviderKey),
    validateProviderKey: bind(validateProviderKey),
    revokeProviderKey: bind(revokeProviderKey),
    chooseProviderKeys: bind(chooseProviderKeys),
    reportKeyRejected: bind(reportKeyRejected),
    reportKeyLimited: bind(reportKeyLimited),
    reportKeyWorked: bind((report: { readonly key: ProviderKey }) =>
      Effect.andThen(noteUse(report.key), reportKeyWorked(report))
    ),
    probeProviderKeys: bind(probeProviderKeys)
  }
})

/**
 * Provider keys: every use case, bound to its ports when the layer is built. Until the layer closes it also writes, every few
 * seconds, when keys were last used.
 */
export class ProviderKeys extends Context.Service<ProviderKeys, Effect.Success<typeof make>>()(
  "@agent-platform/keys/ProviderKeys"
) {
  static readonly layer = Layer.effect(ProviderKeys, make).pipe(Layer.provide(Fingerprints.layer))
}

/** The ports that an embedder provides. */
export type ProviderKeysPorts = Layer.Services<typeof ProviderKeys.layer>
