import { layer as kernel } from "@agent-platform/kernel/memory"
import { Keys, Tenancy, WorkspaceSpend } from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { Effect, Layer, Redacted } from "effect"
import { Digest } from "effect/crypto"

const program = Effect.gen(function* () {
  const keys = yield* Keys
  const tenancy = yield* Tenancy
  const { workspace } = yield* tenancy.foundOrganization({ name: "Acme", workspaceName: "Production", timezone: "UTC" })
  const owner = { organizationId: workspace.organizationId, workspaceId: workspace.id }
  const actor = { type: "user", id: "ada", label: "Ada" } as const
  const { value } = yield* keys.createApiKey({
    owner,
    creator: { actor, scopes: ["runs:read", "runs:write"], key: null, session: null, role: null },
    name: "CI",
    scopes: ["runs:read"],
    expiresAt: undefined,
    allowedIps: ["203.0.113.0/24"],
    rateLimit: null,
    metadata: {},
    idempotency: undefined
  })
  const credential = value.value ?? Redacted.make("")
  const request = { credential, workspaceId: undefined, clientAddress: "203.0.113.7" }
  const { key } = yield* keys.authenticate(request)
  yield* keys.revokeApiKey({ owner, id: key.id, actor })
  const refused = yield* Effect.flip(keys.authenticate(request))
  return [key.name, refused._tag] // ["CI", "CredentialRefused"]
})

const memory = Layer.merge(Keys.layer, Tenancy.layer).pipe(
  Layer.provide(WorkspaceSpend.layerNothing),
  Layer.provideMerge(Layer.merge(stores, Digest.layerWebCrypto)),
  Layer.provideMerge(kernel)
)

export const example = Effect.provide(program, memory)
