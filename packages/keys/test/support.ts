import { atomic, freshId, type WorkspaceId } from "@agent-platform/kernel"
import { feedTables, layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import {
  ApiKeyId,
  ApiKeyStore,
  type CreateApiKey,
  generateKeyValue,
  hashKeyValue,
  hintOf,
  type KeyGrantor,
  type KeyOwner,
  Keys,
  type Scope,
  scopesOfKind,
  Tenancy,
  WorkspaceSpend
} from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { anApiKey } from "@agent-platform/keys/testing"
import { Effect, Layer, Redacted } from "effect"
import { Digest } from "effect/crypto"

/** Every port over memory. */
export const ports = Layer.mergeAll(stores, Digest.layerWebCrypto).pipe(Layer.provideMerge(kernel))

/** The services over ports that are given. */
export const services = Layer.merge(Keys.layer, Tenancy.layer).pipe(Layer.provide(WorkspaceSpend.layerNothing))

/** The whole domain over memory. */
export const memory = services.pipe(Layer.provideMerge(ports), Layer.fresh)

/** A new organization with one workspace, and the possible owners of keys there. */
export const founded = Effect.gen(function* () {
  const { organization, workspace } = yield* Tenancy.use((tenancy) =>
    tenancy.foundOrganization({ name: "Acme", workspaceName: "Production", timezone: "Europe/Berlin" })
  )
  const whole: KeyOwner = { organizationId: organization.id, workspaceId: null }
  const inside: KeyOwner = { organizationId: organization.id, workspaceId: workspace.id }
  return { organization, workspace, whole, inside }
})

/** The creation of a key, by default by somebody who may do everything and never expires. */
export const aCreation = (owner: KeyOwner, override: Partial<CreateApiKey> = {}): CreateApiKey => ({
  owner,
  creator: { actor: aCaller().actor, scopes: scopesOfKind("organization"), key: null, session: null, role: null },
  name: "CI",
  scopes: undefined,
  expiresAt: undefined,
  allowedIps: undefined,
  rateLimit: null,
  metadata: {},
  idempotency: undefined,
  ...override
})

/** Stores the key that somebody acts with, where it is not there yet: only a key that is accepted makes anything. */
export const present = Effect.fnUntraced(function* ({ organizationId }: KeyOwner, { key, scopes }: KeyGrantor) {
  if (key === null) return
  const store = yield* ApiKeyStore
  const stored = anApiKey({ ...key, organizationId, workspaceId: null, scopes })
  const insert = Effect.gen(function* () {
    const found = yield* store.hold(organizationId, [key.id])
    if (found.length === 0) yield* store.insert(stored, key.id)
  })
  yield* atomic(insert)
})

/** Creates a key and answers it with its value. */
export const create = (owner: KeyOwner, override: Partial<CreateApiKey> = {}) =>
  Effect.gen(function* () {
    if (override.creator !== undefined) yield* present(owner, override.creator)
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

/** Who asks for things in tests. */
export const actor = { type: "user", id: "01a1fd31-ae8a-73b5-8d35-ead780a3b245", label: "deployer" } as const

/** Somebody who acts with an organization key of these scopes. By default it never expires and may be used from everywhere. */
export const grantor = (scopes: ReadonlyArray<Scope>, key: Partial<KeyGrantor["key"]> = {}): KeyGrantor => ({
  actor,
  scopes,
  key: {
    id: anId(ApiKeyId),
    kind: "organization",
    organizationRole: "owner",
    expiresAt: null,
    allowedIps: [],
    ...key
  },
  session: null,
  role: null
})

/** The entries of the activity feed about keys of the organization, oldest first. */
export const keyActs = (owner: KeyOwner) =>
  Effect.flatMap(MemoryDatabase, (database) =>
    Effect.map(feedTables(database).activity.all, (all) =>
      all.filter((entry) => entry.organizationId === owner.organizationId && entry.resourceType === "api_key")
    )
  )

/** Recognises a key, by default asked from an unknown address. */
export const ask = (value: Redacted.Redacted, clientAddress?: string, workspaceId?: WorkspaceId) =>
  Keys.use((keys) => keys.authenticate({ credential: value, workspaceId, clientAddress }))

/** A credential as it comes with a request. */
export const credential = (text: string) => Redacted.make(text)
