import { Egress, FeedLog, Idempotency, Overrides, Quotas, SecretBox, UnitOfWork } from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ToolSecretStore } from "./ports/ToolSecretStore.ts"
import { createToolSecret } from "./use-cases/tool-secrets/createToolSecret.ts"
import { deleteToolSecret } from "./use-cases/tool-secrets/deleteToolSecret.ts"
import { openToolSecrets } from "./use-cases/tool-secrets/openToolSecrets.ts"
import { listToolSecrets, readToolSecret } from "./use-cases/tool-secrets/readToolSecrets.ts"
import { updateToolSecret } from "./use-cases/tool-secrets/updateToolSecret.ts"

const make = Effect.gen(function* () {
  const bind = yield* makeBind(
    ToolSecretStore,
    Overrides,
    Egress,
    SecretBox,
    FeedLog,
    Idempotency,
    Quotas,
    UnitOfWork,
    SecureRandom.SecureRandom
  )
  return {
    createToolSecret: bind(createToolSecret),
    listToolSecrets: bind(listToolSecrets),
    readToolSecret: bind(readToolSecret),
    updateToolSecret: bind(updateToolSecret),
    deleteToolSecret: bind(deleteToolSecret),
    openToolSecrets: bind(openToolSecrets)
  }
})

/** The credentials of tools: every use case, bound to its ports when the layer is built. */
export class ToolSecrets extends Context.Service<ToolSecrets, Effect.Success<typeof make>>()(
  "@agent-platform/keys/ToolSecrets"
) {
  static readonly layer = Layer.effect(ToolSecrets, make)
}

/** The ports that an embedder provides. */
export type ToolSecretsPorts = Layer.Services<typeof ToolSecrets.layer>
