import type { Idempotency, UnitOfWork } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import type { ApiKeyStore } from "./ports/ApiKeyStore.ts"
import type { TenancyStore } from "./ports/TenancyStore.ts"
import { authenticate } from "./use-cases/authenticate.ts"
import { createApiKey } from "./use-cases/createApiKey.ts"
import { foundOrganization } from "./use-cases/foundOrganization.ts"
import { listApiKeys } from "./use-cases/listApiKeys.ts"
import { readTenant } from "./use-cases/readTenant.ts"
import { revokeApiKey } from "./use-cases/revokeApiKey.ts"

/** What an embedder provides. */
export type KeysPorts =
  | ApiKeyStore
  | TenancyStore
  | Idempotency
  | UnitOfWork
  | SecureRandom.SecureRandom
  | Digest.Digest

const make = Effect.gen(function* () {
  const ports = yield* Effect.context<KeysPorts>()
  const bind =
    <Args extends ReadonlyArray<unknown>, A, E>(useCase: (...args: Args) => Effect.Effect<A, E, KeysPorts>) =>
    (...args: Args): Effect.Effect<A, E> =>
      Effect.provideContext(useCase(...args), ports)
  return {
    authenticate: bind(authenticate),
    createApiKey: bind(createApiKey),
    listApiKeys: bind(listApiKeys),
    revokeApiKey: bind(revokeApiKey),
    readTenant: bind(readTenant),
    foundOrganization: bind(foundOrganization)
  }
})

/** Identity: every use case, bound to its ports when the layer is built. */
export class Keys extends Context.Service<Keys, Effect.Success<typeof make>>()("@agent-platform/keys/Keys") {
  static readonly layer: Layer.Layer<Keys, never, KeysPorts> = Layer.effect(Keys, make)
}
