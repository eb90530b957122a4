/** Templates of an organization for the agents of its workspaces, over HTTP and with the workers that bring them there. */
import { SecretBox } from "@agent-platform/kernel"
import { type AgentId, AgentStore, endpointSecretPlace, mcpHeadersPlace } from "@agent-platform/runs"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { layerWithWorkers } from "./support.ts"
import { givenTemplates } from "./templateSupport.ts"

const PATH = "/api/v1/org/agent-templates"
const NEW = { name: "Helper", recipe: "demo", instructions: "Be kind", temperature: 0.5 }
const SERVER = {
  name: "search",
  url: "https://tools.example.com/mcp",
  headers: { authorization: "Bearer of-the-tools" }
}

const given = Effect.gen(function* () {
  const store = yield* AgentStore
  const box = yield* SecretBox
  const templates = yield* givenTemplates(PATH)
  const agentsOf = (workspaceId: string) => templates.itemsOf(workspaceId, "/api/v1/agents")
  const storedIn = Effect.fnUntraced(function* (workspaceId: string) {
    const [agent] = yield* agentsOf(workspaceId)
    return yield* store.find(workspaceId as never, String(agent?.["agent_id"]) as AgentId)
  })
  const open = (place: string, sealed: string | null | undefined) =>
    sealed == null ? Effect.succeed(null) : Effect.map(Effect.orDie(box.open(place, sealed)), Redacted.value)
  return {
    ...templates,
    agentsOf,
    pathIn: (workspaceId: string) =>
      Effect.map(agentsOf(workspaceId), ([agent]) => `/api/v1/agents/${String(agent?.["agent_id"])}`),
    /** The secrets that requests to the agent's endpoint are signed with, and the headers for its server of tools. */
    secretsIn: Effect.fnUntraced(function* (workspaceId: string) {
      const agent = yield* storedIn(workspaceId)
      if (agent === undefined) return undefined
      const [server] = agent.mcpServers
      return {
        secret: yield* open(endpointSecretPlace(agent), agent.endpoint?.sealedSecret),
        retiring: yield* open(endpointSecretPlace(agent), agent.endpoint?.retiring?.sealed),
        headers: server === undefined ? null : yield* open(mcpHeadersPlace(agent, server), server.sealedHeaders)
      }
    })
  }
})

layer(layerWithWorkers, { excludeTestServices: true })("templates of agents", (it) => {
  it.effect("reach every workspace, those that are there and those that come, and their agents run", () =>
    Effect.gen(function* () {
      const { agentsOf, asOrganization, inWorkspace, newWorkspace, spreadTo, tenant } = yield* given
      const second = yield* newWorkspace
      const made = yield* asOrganization("POST", PATH, NEW)
      assert.strictEqual(made.status, 201, made.text)
      const id = String(made.json["id"])
      yield* spreadTo(id, 1)
      const ids = new Set<string>()
      for (const workspaceId of [tenant.workspaceId, second, yield* newWorkspace]) {
        const [agent] = yield* agentsOf(workspaceId)
        ids.add(String(agent?.["agent_id"]))
        assert.deepInclude(agent as object, { ...{ name: "Helper", recipe: "demo", temperature: 0.5 }, version: 1 })
        const run = yield* inWorkspace(workspaceId)("POST", "/api/v1/runs/", {
          agent_id: agent?.["agent_id"],
          message: "Hello"
        })
        const path = `/api/v1/runs/${String(run.json["run_id"])}?wait_seconds=10`
        assert.strictEqual(String((yield* inWorkspace(workspaceId)("GET", path)).json["status"]), "succeeded")
      }
      assert.strictEqual(ids.size, 3)
    })
  )

  it.effect("change what no workspace has set for itself, and bring back nothing that one has deleted or erased", () =>
    Effect.gen(function* () {
      const { agentsOf, api, asOrganization, inWorkspace, newWorkspace, partsOf, pathIn, spreadTo, tenant } =
        yield* given
      const [own, gone, erased] = [yield* newWorkspace, yield* newWorkspace, tenant.workspaceId]
      const id = String((yield* asOrganization("POST", PATH, NEW)).json["id"])
      yield* spreadTo(id, 1)
      yield* inWorkspace(own)("PATCH", yield* pathIn(own), { instructions: "Mine", top_p: 0.25, temperature: null })
      assert.strictEqual((yield* inWorkspace(gone)("DELETE", yield* pathIn(gone))).status, 200)
      const eraser = yield* api.keyWith(tenant, { scopes: ["data:erase"] })
      const erasing = yield* api.call("POST", `${yield* pathIn(erased)}/erase`, { key: eraser, body: {} })
      assert.strictEqual(erasing.status, 202, erasing.text)
      const change = {
        name: "Guide",
        instructions: "Be thorough",
        temperature: 1,
        top_p: 0.75,
        seed: 7,
        max_cost_usd: "2.50"
      }
      const changed = yield* asOrganization("PATCH", `${PATH}/${id}`, change)
      assert.deepInclude(changed.json as object, { ...change, version: 2 }, changed.text)
      yield* spreadTo(id, 2)
      const mine = { instructions: "Mine", top_p: 0.25, temperature: null }
      assert.deepInclude((yield* agentsOf(own))[0] as object, { ...change, ...mine })
      assert.isEmpty(yield* agentsOf(gone))
      assert.isEmpty(yield* agentsOf(erased))
      const parts = yield* partsOf(id)
      assert.deepStrictEqual(parts[own]?.["overridden"], ["instructions", "temperature", "top_p"])
      assert.deepStrictEqual(parts[gone]?.["overridden"], ["deleted"])
      assert.deepStrictEqual(parts[erased]?.["overridden"], ["deleted"])
      // A setting that the template takes back leaves the agent.
      yield* asOrganization("PATCH", `${PATH}/${id}`, { seed: null, max_cost_usd: null })
      yield* spreadTo(id, 3)
      assert.deepInclude((yield* agentsOf(own))[0] as object, { seed: null, max_cost_usd: null, ...mine })
    })
  )

  it.effect(
    "share the endpoint's secret and the headers of servers, shown once or never, and rotate it with a grace",
    () =>
      Effect.gen(function* () {
        const { asOrganization, inWorkspace, newWorkspace, pathIn, secretsIn, spreadTo, tenant } = yield* given
        const own = yield* newWorkspace
        const endpoint = { url: "https://agents.example.com/run" }
        const made = yield* asOrganization("POST", PATH, { ...NEW, recipe: "http", endpoint, mcp_servers: [SERVER] })
        assert.strictEqual(made.status, 201, made.text)
        const id = String(made.json["id"])
        const first = String(made.json["endpoint"]!["signing_secret"])
        assert.match(first, /^whsec_/)
        assert.notInclude(made.text, "of-the-tools")
        assert.deepInclude(made.json["mcp_servers"]![0] as object, { name: "search", has_headers: true })
        const read = yield* asOrganization("GET", `${PATH}/${id}`)
        assert.isNull(read.json["endpoint"]!["signing_secret"])
        yield* spreadTo(id, 1)
        const headers = JSON.stringify(SERVER.headers)
        for (const workspaceId of [tenant.workspaceId, own, yield* newWorkspace]) {
          assert.deepStrictEqual(yield* secretsIn(workspaceId), { secret: first, retiring: null, headers })
        }
        // One workspace takes its own secret; the others follow the rotation. Headers stay where they are not given anew.
        const rotated = yield* inWorkspace(own)("PATCH", yield* pathIn(own), {
          endpoint: { ...endpoint, rotate_secret: true }
        })
        const mine = String(rotated.json["endpoint"]!["signing_secret"])
        const { headers: _, ...same } = SERVER
        const changed = yield* asOrganization("PATCH", `${PATH}/${id}`, {
          endpoint: { ...endpoint, rotate_secret: true },
          mcp_servers: [{ ...same, tools: ["find"] }]
        })
        const second = String(changed.json["endpoint"]!["signing_secret"])
        assert.notStrictEqual(second, first)
        yield* spreadTo(id, 2)
        assert.deepStrictEqual(yield* secretsIn(tenant.workspaceId), { secret: second, retiring: first, headers })
        assert.deepInclude((yield* secretsIn(own)) as object, { secret: mine, headers })
        // Another address gets nothing that was given for the one before.
        yield* asOrganization("PATCH", `${PATH}/${id}`, {
          mcp_servers: [{ ...same, url: "https://other.example.com/mcp" }]
        })
        yield* spreadTo(id, 3)
        assert.deepInclude((yield* secretsIn(tenant.workspaceId)) as object, { secret: second, headers: null })
        // The same headers for another address are brought there.
        yield* asOrganization("PATCH", `${PATH}/${id}`, { mcp_servers: [SERVER] })
        yield* spreadTo(id, 4)
        yield* asOrganization("PATCH", `${PATH}/${id}`, {
          mcp_servers: [{ ...SERVER, url: "https://third.example.com/mcp" }]
        })
        yield* spreadTo(id, 5)
        assert.deepInclude((yield* secretsIn(tenant.workspaceId)) as object, { headers })
      })
  )

  it.effect("leave an agent as it is where its own settings do not go with them, and reach it once they do", () =>
    Effect.gen(function* () {
      const { agentsOf, asOrganization, inWorkspace, partsOf, pathIn, spreadTo, tenant } = yield* given
      const { workspaceId } = tenant
      const endpoint = { url: "https://agents.example.com/run" }
      const id = String((yield* asOrganization("POST", PATH, { ...NEW, recipe: "demo", endpoint })).json["id"])
      yield* spreadTo(id, 1)
      const changed = yield* inWorkspace(workspaceId)("PATCH", yield* pathIn(workspaceId), { recipe: "http" })
      assert.strictEqual(changed.status, 200, changed.text)
      yield* asOrganization("PATCH", `${PATH}/${id}`, { endpoint: null, name: "Later" })
      yield* spreadTo(id, 2)
      assert.deepInclude((yield* partsOf(id))[workspaceId] as object, { fault: "conflict", version: 1 })
      assert.deepInclude((yield* agentsOf(workspaceId))[0] as object, { name: "Helper", recipe: "http" })
      yield* inWorkspace(workspaceId)("PATCH", yield* pathIn(workspaceId), { recipe: "demo" })
      yield* asOrganization("PATCH", `${PATH}/${id}`, { name: "Latest" })
      yield* spreadTo(id, 3)
      assert.deepInclude((yield* partsOf(id))[workspaceId] as object, { fault: null, version: 3 })
      assert.deepInclude((yield* agentsOf(workspaceId))[0] as object, { name: "Latest", endpoint: null })
    })
  )

  it.effect("are refused as an agent of these settings is, and leave their agents behind where they are deleted", () =>
    Effect.gen(function* () {
      const { agentsOf, asOrganization, newWorkspace, spreadTo, tenant } = yield* given
      const pointerOf = (body: object) =>
        Effect.map(asOrganization("POST", PATH, { ...NEW, ...body }), ({ json, status }) => [
          status,
          String(json["errors"]![0]!["pointer"])
        ])
      assert.deepStrictEqual(yield* pointerOf({ recipe: "unheard-of" }), [422, "/recipe"])
      assert.deepStrictEqual(yield* pointerOf({ recipe: "http" }), [422, "/endpoint"])
      assert.deepStrictEqual(yield* pointerOf({ endpoint: { url: "https://agents.internal/run" } }), [
        422,
        "/endpoint/url"
      ])
      assert.deepStrictEqual(yield* pointerOf({ input_schema: { type: "spaceship" } }), [422, "/input_schema/type"])
      const id = String((yield* asOrganization("POST", PATH, NEW)).json["id"])
      yield* spreadTo(id, 1)
      const stale = yield* asOrganization("PATCH", `${PATH}/${id}`, { name: "X" }, { "if-match": '"7"' })
      assert.deepStrictEqual([stale.status, String(stale.json["code"])], [409, "version_conflict"])
      const flawed = yield* asOrganization("PATCH", `${PATH}/${id}`, { recipe: "http" })
      assert.strictEqual(flawed.status, 422)
      assert.strictEqual(
        (yield* asOrganization("PATCH", `${PATH}/${id}`, { name: NEW.name })).json["version"] as unknown,
        1
      )
      assert.strictEqual((yield* asOrganization("DELETE", `${PATH}/${id}`)).status, 200)
      assert.strictEqual((yield* agentsOf(tenant.workspaceId)).length, 1)
      assert.isEmpty(yield* agentsOf(yield* newWorkspace))
    })
  )
})
