import { freshId, UnitOfWork } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import {
  ApiKeyId,
  ApiKeyStore,
  type CreateApiKey,
  generateKeyValue,
  hashKeyValue,
  hintOf,
  type KeyOwner,
  Keys,
  scopesOfKind
} from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { anApiKey } from "@agent-platform/keys/testing"
import { Effect, Layer, Redacted } from "effect"
import { Digest } from "effect/crypto"

/** The whole domain over memory. */
export const memory = Keys.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(stores, Digest.layerWebCrypto).pipe(Layer.provideMerge(kernel))),
  Layer.fresh
)

export const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

/** A new organization with one workspace, and who can own keys there. */
export const founded = Effect.gen(function* () {
  const { organization, workspace } = yield* Keys.use((keys) =>
    keys.foundOrganization({ name: "Acme", workspaceName: "Production", timezone: "Europe/Berlin" })
  )
  const whole: KeyOwner = { organizationId: organization.id, workspaceId: null }
  const inside: KeyOwner = { organizationId: organization.id, workspaceId: workspace.id }
  return { organization, workspace, whole, inside }
})

/** The creation of a key by somebody who may do everything and never expires, unless told otherwise. */
export const aCreation = (owner: KeyOwner, override: Partial<CreateApiKey> = {}): CreateApiKey => ({
  owner,
  creator: { actor: aCaller().actor, scopes: scopesOfKind("organization"), expiresAt: null },
  name: "CI",
  scopes: undefined,
  expiresAt: undefined,
  metadata: {},
  idempotency: undefined,
  ...override
})

/** Creates a key and answers it with its value. */
export const create = (owner: KeyOwner, override: Partial<CreateApiKey> = {}) =>
  Effect.gen(function* () {
    const { value } = yield* Keys.use((keys) => keys.createApiKey(aCreation(owner, override)))
    if (value.value === null) return yield* Effect.die(new Error("A new key has a value"))
    return { key: value.key, value: value.value }
  })

/** Stores a key in a state that no use case makes. */
export const storedKey = (owner: KeyOwner, override: Parameters<typeof anApiKey>[0] = {}) =>
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const value = yield* generateKeyValue("workspace")
    const key = anApiKey({ id: yield* freshId(ApiKeyId), ...owner, hint: hintOf(value), ...override })
    yield* atomic(store.insert(key, yield* hashKeyValue(value)))
    return { key, value }
  })

/** A credential as it comes with a request. */
export const credential = (text: string) => Redacted.make(text)
