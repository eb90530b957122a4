import { layer as kernel } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import { Keys } from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { Effect, Layer, Redacted } from "effect"
import { Digest } from "effect/crypto"

const program = Effect.gen(function* () {
  const keys = yield* Keys
  const { workspace } = yield* keys.foundOrganization({ name: "Acme", workspaceName: "Production", timezone: "UTC" })
  const owner = { organizationId: workspace.organizationId, workspaceId: workspace.id }
  const { value } = yield* keys.createApiKey({
    owner,
    creator: { actor: aCaller().actor, scopes: ["runs:read", "runs:write"], expiresAt: null },
    name: "CI",
    scopes: ["runs:read"],
    expiresAt: undefined,
    metadata: {},
    idempotency: undefined
  })
  const credential = value.value ?? Redacted.make("")
  const { key } = yield* keys.authenticate({ credential, workspaceId: undefined })
  yield* keys.revokeApiKey({ owner, id: key.id })
  const refused = yield* Effect.flip(keys.authenticate({ credential, workspaceId: undefined }))
  return [key.name, refused._tag] // ["CI", "CredentialRefused"]
})

const memory = Keys.layer.pipe(
  Layer.provideMerge(Layer.merge(stores, Digest.layerWebCrypto)),
  Layer.provideMerge(kernel)
)

export const example = Effect.provide(program, memory)
