/** Templates of an organization for the provider keys of its workspaces, over HTTP and with the workers that bring them there. */
import { SecretBox } from "@agent-platform/kernel"
import { type ProviderKeyId, ProviderKeyStore, providerKeyPlace } from "@agent-platform/keys"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { answer } from "./byokSupport.ts"
import { layerWithWorkers } from "./support.ts"
import { givenTemplates } from "./templateSupport.ts"

const PATH = "/api/v1/org/provider-keys"
const KEY = "sk-proj-first-0123456789-0123-wxyz"
const NEW = { provider: "openai", key: KEY, name: "Product" }

const given = Effect.gen(function* () {
  const store = yield* ProviderKeyStore
  const box = yield* SecretBox
  const templates = yield* givenTemplates(PATH)
  yield* answer({ type: "accepted" })
  const keysOf = (workspaceId: string) => templates.itemsOf(workspaceId, "/api/v1/byok/")
  return {
    ...templates,
    keysOf,
    /** The value that models are called with. */
    valueIn: Effect.fnUntraced(function* (workspaceId: string) {
      const [key] = yield* keysOf(workspaceId)
      const sealed = yield* store.findSealed(workspaceId as never, String(key?.["id"]) as ProviderKeyId)
      return sealed && Redacted.value(yield* Effect.orDie(box.open(providerKeyPlace(sealed.key), sealed.sealed)))
    })
  }
})

layer(layerWithWorkers, { excludeTestServices: true })("templates of provider keys", (it) => {
  it.effect("reach every workspace, those that are there and those that come, and ask the provider once", () =>
    Effect.gen(function* () {
      const { asOrganization, keysOf, newWorkspace, spreadTo, tenant, valueIn } = yield* given
      const second = yield* newWorkspace
      const made = yield* asOrganization("POST", PATH, { ...NEW, allowed_models: ["gpt-5"], priority: 7 })
      assert.strictEqual(made.status, 201, made.text)
      assert.notInclude(made.text, KEY)
      assert.deepInclude(made.json as object, { status: "active", hint: "sk-p…wxyz", priority: 7, base_url: null })
      assert.isString(made.json["last_validated_at"])
      const id = String(made.json["id"])
      yield* spreadTo(id, 1)
      yield* answer({ type: "rejected", providerStatus: 401, providerCode: "invalid_api_key" })
      const third = yield* newWorkspace
      const ids = new Set<string>()
      for (const workspaceId of [tenant.workspaceId, second, third]) {
        const [key] = yield* keysOf(workspaceId)
        ids.add(String(key?.["id"]))
        const { fingerprint } = made.json
        const wanted = { provider: "openai", name: "Product", status: "active", priority: 7, fingerprint, version: 1 }
        assert.deepInclude(key as object, { ...wanted, allowed_models: ["gpt-5"] })
        assert.strictEqual(yield* valueIn(workspaceId), KEY)
      }
      assert.strictEqual(ids.size, 3)
    })
  )

  it.effect("change what no workspace has set for itself, and bring back nothing that one has revoked", () =>
    Effect.gen(function* () {
      const { asOrganization, inWorkspace, keysOf, newWorkspace, partsOf, spreadTo, tenant, valueIn } = yield* given
      const [bounded, valued, gone] = [tenant.workspaceId, yield* newWorkspace, yield* newWorkspace]
      const id = String((yield* asOrganization("POST", PATH, NEW)).json["id"])
      yield* spreadTo(id, 1)
      const pathIn = (workspaceId: string) =>
        Effect.map(keysOf(workspaceId), ([key]) => `/api/v1/byok/${String(key?.["id"])}`)
      yield* inWorkspace(bounded)("PATCH", yield* pathIn(bounded), { allowed_models: ["gpt-5"], priority: 3 })
      yield* inWorkspace(valued)("PATCH", yield* pathIn(valued), { key: "sk-own-0123456789" })
      yield* inWorkspace(gone)("DELETE", yield* pathIn(gone))
      const change = { key: "sk-second-0123456789", allowed_models: ["o3"], priority: 50, name: "New" }
      const changed = yield* asOrganization("PATCH", `${PATH}/${id}`, change)
      assert.strictEqual(changed.json["version"] as unknown, 2, changed.text)
      yield* spreadTo(id, 2)
      const [one] = yield* keysOf(bounded)
      assert.deepInclude(one as object, { name: "New", allowed_models: ["gpt-5"], priority: 3 })
      assert.strictEqual(yield* valueIn(bounded), "sk-second-0123456789")
      const [two] = yield* keysOf(valued)
      assert.deepInclude(two as object, { name: "New", allowed_models: ["o3"], priority: 50 })
      assert.strictEqual(yield* valueIn(valued), "sk-own-0123456789")
      assert.deepInclude((yield* keysOf(gone))[0] as object, { status: "revoked", name: "Product" })
      assert.isUndefined(yield* valueIn(gone))
      const parts = yield* partsOf(id)
      assert.deepStrictEqual(parts[bounded]?.["overridden"], ["allowed_models", "priority"])
      assert.deepStrictEqual(parts[valued]?.["overridden"], ["key"])
      assert.deepStrictEqual(parts[gone]?.["overridden"], ["deleted"])
    })
  )

  it.effect("are revoked in every workspace that has no value of its own, and given to no further one", () =>
    Effect.gen(function* () {
      const { asOrganization, inWorkspace, keysOf, newWorkspace, partsOf, spreadTo, tenant, valueIn } = yield* given
      const own = yield* newWorkspace
      const id = String((yield* asOrganization("POST", PATH, NEW)).json["id"])
      yield* spreadTo(id, 1)
      const [mine] = yield* keysOf(own)
      yield* inWorkspace(own)("PATCH", `/api/v1/byok/${String(mine?.["id"])}`, { key: "sk-own-0123456789" })
      const revoked = yield* asOrganization("POST", `${PATH}/${id}/revoke`)
      assert.deepInclude(revoked.json as object, { status: "revoked", version: 2 })
      yield* spreadTo(id, 2)
      assert.deepInclude((yield* keysOf(tenant.workspaceId))[0] as object, { status: "revoked" })
      assert.isUndefined(yield* valueIn(tenant.workspaceId))
      assert.strictEqual(yield* valueIn(own), "sk-own-0123456789")
      const later = yield* newWorkspace
      assert.isEmpty(yield* keysOf(later))
      assert.deepInclude((yield* partsOf(id))[later] as object, { resource_id: null, fault: "revoked" })
      const again = yield* asOrganization("POST", `${PATH}/${id}/revoke`)
      assert.deepInclude(again.json as object, { status: "revoked", version: 2 })
      const change = yield* asOrganization("PATCH", `${PATH}/${id}`, { name: "Late" })
      assert.deepStrictEqual([change.status, String(change.json["code"])], [422, "validation_failed"])
    })
  )

  it.effect("leave their keys behind as the workspaces' own where they are deleted", () =>
    Effect.gen(function* () {
      const { asOrganization, keysOf, newWorkspace, spreadTo, tenant, valueIn } = yield* given
      const id = String((yield* asOrganization("POST", PATH, NEW)).json["id"])
      yield* spreadTo(id, 1)
      assert.strictEqual((yield* asOrganization("DELETE", `${PATH}/${id}`)).status, 200)
      assert.strictEqual((yield* asOrganization("POST", `${PATH}/${id}/revoke`)).status, 404)
      assert.strictEqual(yield* valueIn(tenant.workspaceId), KEY)
      assert.isEmpty(yield* keysOf(yield* newWorkspace))
    })
  )

  it.effect("are refused where the provider refuses the value, by another version, and with a misplaced address", () =>
    Effect.gen(function* () {
      const { asOrganization, tenant } = yield* given
      yield* answer({ type: "rejected", providerStatus: 401, providerCode: "invalid_api_key" })
      const refused = yield* asOrganization("POST", PATH, NEW)
      assert.deepStrictEqual([refused.status, String(refused.json["code"])], [422, "provider_rejected_key"])
      const unasked = yield* asOrganization("POST", PATH, { ...NEW, validate: false })
      assert.deepInclude(unasked.json as object, { status: "active", last_validated_at: null })
      const id = String(unasked.json["id"])
      const renewed = yield* asOrganization("PATCH", `${PATH}/${id}`, { key: "sk-other-0123456789" })
      assert.strictEqual(String(renewed.json["code"]), "provider_rejected_key")
      const stale = yield* asOrganization("PATCH", `${PATH}/${id}`, { name: "X" }, { "if-match": '"7"' })
      assert.deepStrictEqual([stale.status, String(stale.json["code"])], [409, "version_conflict"])
      const misplaced = yield* asOrganization("POST", PATH, { ...NEW, base_url: "https://models.example.com/v1" })
      assert.strictEqual(String(misplaced.json["errors"]![0]!["pointer"]), "/base_url")
      const missing = yield* asOrganization("POST", PATH, { ...NEW, provider: "azure" })
      assert.strictEqual(String(missing.json["errors"]![0]!["pointer"]), "/base_url")
      const foreign = yield* asOrganization("GET", `/api/v1/org/tool-secrets/${id}`)
      assert.strictEqual(foreign.status, 404, tenant.organizationId)
    })
  )
})
