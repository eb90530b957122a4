import { FeedLog, Idempotency, makeBind, UnitOfWork } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { ApiKey } from "./ApiKey.ts"
import { ApiKeyStore, type KeyUsed, USE_APART_SECONDS } from "./ports/ApiKeyStore.ts"
import { RateLimits } from "./ports/RateLimits.ts"
import { makeUseNotes } from "./UseNotes.ts"
import { type Authenticate, authenticate, recheckKey } from "./use-cases/api-keys/authenticate.ts"
import { countRequest } from "./use-cases/api-keys/countRequest.ts"
import { createApiKey } from "./use-cases/api-keys/createApiKey.ts"
import { listApiKeys } from "./use-cases/api-keys/listApiKeys.ts"
import { revokeApiKey } from "./use-cases/api-keys/revokeApiKey.ts"
import { rotateApiKey } from "./use-cases/api-keys/rotateApiKey.ts"
import { updateApiKey } from "./use-cases/api-keys/updateApiKey.ts"

/** What an embedder provides. */
export type KeysPorts =
  | ApiKeyStore
  | RateLimits
  | FeedLog
  | Idempotency
  | UnitOfWork
  | SecureRandom.SecureRandom
  | Digest.Digest

const make = Effect.gen(function* () {
  const store = yield* ApiKeyStore
  const noteUse = yield* makeUseNotes({
    things: "API keys",
    idOf: (key: ApiKey) => key.id,
    lastUsedAt: (key) => key.lastUsedAt,
    apartSeconds: USE_APART_SECONDS,
    useOf: ({ id, organizationId }, at): KeyUsed => ({ organizationId, id, at }),
    write: store.noteUses
  })
  const bind = yield* makeBind(
    ApiKeyStore,
    RateLimits,
    FeedLog,
    Idempotency,
    UnitOfWork,
    SecureRandom.SecureRandom,
    Digest.Digest
  )
  const recognising = yield* makeBind(ApiKeyStore, Digest.Digest)
  const counting = yield* makeBind(RateLimits)
  return {
    authenticate: recognising((command: Authenticate) => Effect.tap(authenticate(command), ({ key }) => noteUse(key))),
    recheckKey: recognising((command: Omit<Authenticate, "clientAddress">) =>
      Effect.tap(recheckKey(command), ({ key }) => noteUse(key))
    ),
    countRequest: counting(countRequest),
    createApiKey: bind(createApiKey),
    listApiKeys: bind(listApiKeys),
    updateApiKey: bind(updateApiKey),
    rotateApiKey: bind(rotateApiKey),
    revokeApiKey: bind(revokeApiKey)
  }
})

/**
 * API keys: every use case, bound to its ports when the layer is built. Until the layer closes it writes now and then when
 * keys were last used.
 */
export class Keys extends Context.Service<Keys, Effect.Success<typeof make>>()("@agent-platform/keys/Keys") {
  static readonly layer: Layer.Layer<Keys, never, KeysPorts> = Layer.effect(Keys, make)
}
