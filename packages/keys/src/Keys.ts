import { FeedLog, Idempotency, Quotas, recordActivity, UnitOfWork } from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { ApiKey, ApiKeyId } from "./ApiKey.ts"
import { KeyForms } from "./KeyForms.ts"
import { ApiKeyStore, type KeyUsed, USE_APART_SECONDS } from "./ports/ApiKeyStore.ts"
import { LoginStore } from "./ports/LoginStore.ts"
import { RateLimits } from "./ports/RateLimits.ts"
import { makeRefusedKeys, RefusedKeys } from "./RefusedKeys.ts"
import { makeRequestBlocks } from "./RequestBlocks.ts"
import { makeUseNotes } from "./UseNotes.ts"
import { type Authenticate, authenticate, recheckKey } from "./use-cases/api-keys/authenticate.ts"
import { createApiKey } from "./use-cases/api-keys/createApiKey.ts"
import { createBrowserKey } from "./use-cases/api-keys/createBrowserKey.ts"
import { createWebhookGrant } from "./use-cases/api-keys/createWebhookGrant.ts"
import { actWithKey } from "./use-cases/api-keys/keyAct.ts"
import { listApiKeys } from "./use-cases/api-keys/listApiKeys.ts"
import { revokeApiKey } from "./use-cases/api-keys/revokeApiKey.ts"
import { revokeWithDescendants } from "./use-cases/api-keys/revokeWithDescendants.ts"
import { rotateApiKey } from "./use-cases/api-keys/rotateApiKey.ts"
import { updateApiKey } from "./use-cases/api-keys/updateApiKey.ts"

/** A request of a key that was recognised, and where it came from. */
interface KeyRequest {
  readonly key: ApiKey
  readonly clientAddress: string | undefined
}

interface Use extends KeyRequest, KeyUsed {}

const make = Effect.gen(function* () {
  const store = yield* ApiKeyStore
  const [log, random] = [yield* FeedLog, yield* SecureRandom.SecureRandom]

  // The scopes of an organization key reach every workspace, so its use is reported once an hour: for the first use in the hour.
  const recordUses = (uses: ReadonlyArray<Use>, firstInHour: ReadonlyArray<ApiKeyId>) =>
    recordActivity(
      ...uses
        .filter(({ key }) => key.kind === "organization" && firstInHour.includes(key.id))
        .map(({ clientAddress, key }) => actWithKey(key, "used", `The API key '${key.name}' is in use`, clientAddress))
    ).pipe(Effect.provideService(FeedLog, log), Effect.provideService(SecureRandom.SecureRandom, random))
  const noteUse = yield* makeUseNotes({
    things: "API keys",
    idOf: ({ key }: KeyRequest) => key.id,
    lastUsedAt: ({ key }) => key.lastUsedAt,
    apartSeconds: USE_APART_SECONDS,
    useOf: ({ clientAddress, key }, at): Use => {
      const { id, organizationId } = key
      return { organizationId, id, at, key, clientAddress }
    },
    write: (uses) => Effect.flatMap(store.noteUses(uses), (firstInHour) => recordUses(uses, firstInHour))
  })
  const bind = yield* makeBind(
    ApiKeyStore,
    LoginStore,
    RateLimits,
    FeedLog,
    Idempotency,
    Quotas,
    UnitOfWork,
    SecureRandom.SecureRandom,
    Digest.Digest,
    KeyForms
  )
  // Apart from the others, since only recognising a key notes refusals.
  const bindRecognition = yield* makeBind(ApiKeyStore, LoginStore, Digest.Digest, RefusedKeys, KeyForms).pipe(
    Effect.provideServiceEffect(RefusedKeys, makeRefusedKeys)
  )
  return {
    authenticate: bindRecognition((command: Authenticate) =>
      Effect.tap(authenticate(command), ({ key }) => noteUse({ key, clientAddress: command.clientAddress }))
    ),
    recheckKey: bindRecognition((command: Omit<Authenticate, "clientAddress">) =>
      Effect.tap(recheckKey(command), ({ key }) => noteUse({ key, clientAddress: undefined }))
    ),
    /** Counts a request against the limit of its key or of its workspace, for all processes together. */
    countRequest: makeRequestBlocks((yield* RateLimits).take),
    createApiKey: bind(createApiKey),
    createBrowserKey: bind(createBrowserKey),
    createWebhookGrant: bind(createWebhookGrant),
    listApiKeys: bind(listApiKeys),
    updateApiKey: bind(updateApiKey),
    rotateApiKey: bind(rotateApiKey),
    revokeApiKey: bind(revokeApiKey),
    revokeWithDescendants: bind(revokeWithDescendants)
  }
})

/**
 * API keys: every use case, bound to its ports when the layer is built. Until the layer closes it also writes, every few seconds,
 * when keys were last used and which were refused.
 */
export class Keys extends Context.Service<Keys, Effect.Success<typeof make>>()("@agent-platform/keys/Keys") {
  static readonly layer = Layer.effect(Keys, make)
}

/** The ports that an embedder provides. */
export type KeysPorts = Layer.Services<typeof Keys.layer>
