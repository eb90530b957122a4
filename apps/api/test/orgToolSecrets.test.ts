/** Templates of an organization for the tool secrets of its workspaces, over HTTP and with the workers that bring them there. */
import { ToolSecrets } from "@agent-platform/keys"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type Json, layerWithWorkers } from "./support.ts"
import { givenTemplates } from "./templateSupport.ts"

const PATH = "/api/v1/org/tool-secrets"
const HOST = "api.example.com"
const NEW = { name: "Orders", host_pattern: HOST, header: "x-api-key", value: "first-0123456789" }

/** An organization, and the values that a request to the host would be sent with from its workspaces. */
const given = Effect.gen(function* () {
  const secrets = yield* ToolSecrets
  const templates = yield* givenTemplates(PATH)
  return {
    ...templates,
    secretsOf: (workspaceId: string) => templates.itemsOf(workspaceId, "/api/v1/tool-secrets"),
    sentFrom: (workspaceId: string) =>
      Effect.map(secrets.openToolSecrets({ workspaceId: workspaceId as never, url: `https://${HOST}/` }), (found) =>
        found.map(({ value }) => Redacted.value(value)).join()
      )
  }
})

layer(layerWithWorkers, { excludeTestServices: true })("templates of tool secrets", (it) => {
  it.effect("reach every workspace, those that are there and those that come, each by a secret of its own", () =>
    Effect.gen(function* () {
      const { asOrganization, newWorkspace, secretsOf, sentFrom, spreadTo, tenant } = yield* given
      const second = yield* newWorkspace
      const made = yield* asOrganization("POST", PATH, NEW)
      assert.strictEqual(made.status, 201)
      assert.notInclude(made.text, NEW.value)
      const id = String(made.json["id"])
      const spread = (yield* spreadTo(id, 1))["spread"]!
      assert.deepInclude(spread as object, { workspaces_done: 2, workspaces_total: 2 })
      const third = yield* newWorkspace
      const ids = new Set<string>()
      for (const workspaceId of [tenant.workspaceId, second, third]) {
        const [secret] = yield* secretsOf(workspaceId)
        ids.add(String(secret?.["id"]))
        assert.deepInclude(secret as object, { name: "Orders", host_pattern: HOST, header: "x-api-key", version: 1 })
        assert.strictEqual(yield* sentFrom(workspaceId), NEW.value)
      }
      assert.strictEqual(ids.size, 3)
    })
  )

  it.effect("change what no workspace has set for itself, and bring back nothing that one has deleted", () =>
    Effect.gen(function* () {
      const { asOrganization, inWorkspace, newWorkspace, secretsOf, sentFrom, spreadTo, tenant } = yield* given
      const [renamed, valued, gone] = [tenant.workspaceId, yield* newWorkspace, yield* newWorkspace]
      const id = String((yield* asOrganization("POST", PATH, NEW)).json["id"])
      yield* spreadTo(id, 1)
      const secretOf = (workspaceId: string) => Effect.map(secretsOf(workspaceId), ([one]) => String(one?.["id"]))
      const path = (workspaceId: string) => Effect.map(secretOf(workspaceId), (own) => `/api/v1/tool-secrets/${own}`)
      yield* inWorkspace(renamed)("PATCH", yield* path(renamed), { name: "Mine" })
      yield* inWorkspace(valued)("PATCH", yield* path(valued), { value: "own-0123456789" })
      const deleted = yield* inWorkspace(gone)("DELETE", yield* path(gone))
      assert.strictEqual(deleted.status, 200)
      const changed = yield* asOrganization("PATCH", `${PATH}/${id}`, { name: "Sales", value: "second-0123456789" })
      assert.strictEqual(changed.json["version"] as unknown, 2)
      yield* spreadTo(id, 2)
      const nameIn = (workspaceId: string) => Effect.map(secretsOf(workspaceId), ([one]) => String(one?.["name"]))
      assert.deepStrictEqual([yield* nameIn(renamed), yield* sentFrom(renamed)], ["Mine", "second-0123456789"])
      assert.deepStrictEqual([yield* nameIn(valued), yield* sentFrom(valued)], ["Sales", "own-0123456789"])
      assert.isEmpty(yield* secretsOf(gone))
      const parts = yield* asOrganization("GET", `${PATH}/${id}/workspaces`)
      const items = parts.json["items"] as unknown as ReadonlyArray<Json>
      const overridden = Object.fromEntries(
        items.map((one) => [String(one["workspace_id"]), one["overridden"] as unknown])
      )
      assert.deepStrictEqual(overridden, { [renamed]: ["name"], [valued]: ["value"], [gone]: ["deleted"] })
    })
  )

  it.effect("leave out a workspace that has a secret in that place, and reach it once that is gone", () =>
    Effect.gen(function* () {
      const { asOrganization, inWorkspace, secretsOf, sentFrom, spreadTo, tenant } = yield* given
      const { workspaceId } = tenant
      const own = yield* inWorkspace(workspaceId)("POST", "/api/v1/tool-secrets", { ...NEW, value: "own-0123456789" })
      const id = String((yield* asOrganization("POST", PATH, NEW)).json["id"])
      yield* spreadTo(id, 1)
      const part = Effect.map(asOrganization("GET", `${PATH}/${id}/workspaces`), ({ json }) => json["items"]![0])
      assert.deepInclude((yield* part) as object, { workspace_id: workspaceId, resource_id: null, fault: "taken" })
      assert.strictEqual(yield* sentFrom(workspaceId), "own-0123456789")
      yield* inWorkspace(workspaceId)("DELETE", `/api/v1/tool-secrets/${own.json["id"]}`)
      yield* asOrganization("PATCH", `${PATH}/${id}`, { name: "Again" })
      yield* spreadTo(id, 2)
      assert.deepInclude((yield* part) as object, { fault: null, version: 2 })
      assert.deepInclude((yield* secretsOf(workspaceId))[0] as object, { name: "Again" })
    })
  )

  it.effect("leave their secrets behind as the workspaces' own where they are deleted", () =>
    Effect.gen(function* () {
      const { asOrganization, newWorkspace, secretsOf, sentFrom, spreadTo, tenant } = yield* given
      const id = String((yield* asOrganization("POST", PATH, NEW)).json["id"])
      yield* spreadTo(id, 1)
      const deleted = yield* asOrganization("DELETE", `${PATH}/${id}`)
      assert.deepStrictEqual(deleted.json as unknown, { id, status: "deleted" })
      assert.strictEqual((yield* asOrganization("DELETE", `${PATH}/${id}`)).status, 404)
      assert.strictEqual((yield* asOrganization("GET", `${PATH}/${id}/workspaces`)).status, 404)
      assert.strictEqual(yield* sentFrom(tenant.workspaceId), NEW.value)
      assert.isEmpty(yield* secretsOf(yield* newWorkspace))
    })
  )

  it.effect("answers 409 to another version in If-Match, and 422 to what it does not send", () =>
    Effect.gen(function* () {
      const { asOrganization } = yield* given
      const id = String((yield* asOrganization("POST", PATH, NEW)).json["id"])
      const stale = yield* asOrganization("PATCH", `${PATH}/${id}`, { name: "X" }, { "if-match": '"7"' })
      assert.deepStrictEqual([stale.status, String(stale.json["code"])], [409, "version_conflict"])
      const misplaced = yield* asOrganization("PATCH", `${PATH}/${id}`, { oauth: { client_id: "x" } })
      assert.strictEqual(misplaced.status, 422)
      const same = yield* asOrganization("PATCH", `${PATH}/${id}`, { name: NEW.name })
      assert.strictEqual(same.json["version"] as unknown, 1)
    })
  )
})
