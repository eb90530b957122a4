/** Changes of an agent, one test a behaviour. */
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import type { Agent } from "@agent-platform/runs"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, layer as layerApi, type Tenant, TestApi } from "./support.ts"

const AGENTS = "/api/v1/agents"
const SERVER = { name: "search", url: "https://tools.example.com/mcp" }

/** An agent that was created with this body, as it was answered. */
const created = Effect.fnUntraced(function* (tenant: Tenant, body: object) {
  const api = yield* TestApi
  const { json, status } = yield* api.call("POST", AGENTS, { key: tenant.workspaceKey, body: { name: "A", ...body } })
  assert.strictEqual(status, 201)
  return { agent: json, path: `${AGENTS}/${json["agent_id"]}` }
})

const stored = Effect.flatMap(MemoryDatabase, (database) => database.table<Agent>("agent").all)

const activityOf = (tenant: Tenant) =>
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const all = yield* database.table<{ organizationId: string; action: string; payload: unknown }>("activity").all
    return all
      .filter((entry) => entry.organizationId === tenant.organizationId && entry.action.startsWith("agent."))
      .map(({ action, payload }) => ({ action, payload }))
  })

layer(layerApi, { excludeTestServices: true })("agents", (it) => {
  describe("POST /api/v1/agents", () => {
    it.effect("answers 201 with everything that was given but headers, which it only says to have", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const settings = {
          tools: ["ask_user"],
          input_schema: { type: "object", description: "a\u0000b" },
          endpoint: { url: "https://agents.example.com/run" }
        }
        const servers = [
          { ...SERVER, headers: { Authorization: "Bearer a-secret" } },
          { name: "other", url: SERVER.url, headers: {}, tools: ["find", "list"] }
        ]
        const { agent, path } = yield* created(tenant, { ...settings, mcp_servers: servers })
        const shown = agent as unknown as Record<string, unknown>
        assert.deepStrictEqual(shown["tools"], ["ask_user"])
        assert.deepStrictEqual(shown["input_schema"], { type: "object", description: "a\ufffdb" })
        assert.deepStrictEqual(shown["mcp_servers"], [
          { ...SERVER, has_headers: true, tools: null },
          { name: "other", url: SERVER.url, has_headers: false, tools: ["find", "list"] }
        ])
        assert.match(String(agent["endpoint"]!["signing_secret"]), /^whsec_[A-Za-z0-9+/]{43}=$/)
        const read = yield* api.call("GET", path, { key: tenant.workspaceKey })
        assert.deepStrictEqual(read.json["endpoint"] as unknown, { ...settings.endpoint, signing_secret: null })
        assert.notInclude(JSON.stringify(yield* stored), "a-secret")
      })
    )

    it.effect("shows a signing secret once, not in a repetition", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const body = { name: "A", endpoint: { url: "https://agents.example.com/run" } }
        const call = { key, body, headers: { "idempotency-key": "k" } }
        const first = yield* api.call("POST", AGENTS, call)
        assert.isNotNull(first.json["endpoint"]!["signing_secret"])
        const second = yield* api.call("POST", AGENTS, call)
        assert.strictEqual(`${second.status} ${second.headers.get("idempotency-replayed")}`, "201 true")
        assert.isNull(second.json["endpoint"]!["signing_secret"])
      })
    )

    it.effect("answers 422 url_not_public to URLs that may not be called, pointing at them", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const bodies: ReadonlyArray<readonly [string, object]> = [
          ["/endpoint/url", { endpoint: { url: "https://agents.internal/run" } }],
          ["/mcp_servers/1/url", { mcp_servers: [SERVER, { name: "b", url: "http://tools.example.com" }] }]
        ]
        for (const [pointer, body] of bodies) {
          const { json, status } = yield* api.call("POST", AGENTS, { key, body: { name: "A", ...body } })
          assert.strictEqual(`${status} ${json["code"]}`, "422 url_not_public")
          assert.strictEqual(String(json["errors"]![0]!["pointer"]), pointer)
        }
      })
    )
  })

  describe("GET /api/v1/agents/{agent_id}", () => {
    it.effect("answers 200 with the agent as it was created", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { agent, path } = yield* created(tenant, { description: "d" })
        const { json, status } = yield* api.call("GET", path, { key: tenant.workspaceKey })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json, agent)
      })
    )
  })

  describe("PATCH /api/v1/agents/{agent_id}", () => {
    it.effect("changes what it names, leaves the rest, and counts versions", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { agent, path } = yield* created(tenant, { description: "d", model: "m", max_cost_usd: "1.00" })
        const key = tenant.workspaceKey
        const body = { name: "B", description: null, max_cost_usd: "2.5" }
        const { json, status } = yield* api.call("PATCH", path, { key, body })
        assert.strictEqual(status, 200)
        const { updated_at, ...rest } = json as unknown as Record<string, unknown>
        const { updated_at: before, ...created_ } = agent as unknown as Record<string, unknown>
        assert.deepStrictEqual(rest, { ...created_, ...body, max_cost_usd: "2.50", version: 2 })
        assert.isAtLeast(Date.parse(String(updated_at)), Date.parse(String(before)))
        assert.deepStrictEqual((yield* api.call("GET", path, { key })).json, json)
        assert.deepStrictEqual(yield* activityOf(tenant), [
          { action: "agent.created", payload: { name: "A", recipe: "demo" } },
          { action: "agent.updated", payload: { version: 2, changed: ["description", "max_cost_usd", "name"] } }
        ])
      })
    )

    it.effect("counts no version and announces nothing when nothing is different", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { agent, path } = yield* created(tenant, {
          tools: ["a"],
          mcp_servers: [SERVER],
          input_schema: { a: [1] }
        })
        for (const body of [{}, { tools: ["a"], mcp_servers: [SERVER], input_schema: { a: [1] } }]) {
          const { json } = yield* api.call("PATCH", path, { key: tenant.workspaceKey, body })
          assert.deepStrictEqual(json, agent)
        }
        assert.strictEqual((yield* activityOf(tenant)).length, 1)
      })
    )

    it.effect("answers 409 version_conflict to another version in If-Match, and one of two rivals wins", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { path } = yield* created(tenant, {})
        const patch = (version: string, name: string) =>
          api.call("PATCH", path, { key: tenant.workspaceKey, headers: { "if-match": version }, body: { name } })
        const stale = yield* patch('"2"', "X")
        assert.strictEqual(`${stale.status} ${stale.json["code"]}`, "409 version_conflict")
        const rivals = yield* Effect.all([patch("1", "B"), patch('"1"', "C"), patch("1", "D")], { concurrency: 3 })
        assert.deepStrictEqual(rivals.map(({ status }) => status).sort(), [200, 409, 409])
        assert.strictEqual((yield* patch("two", "X")).status, 422)
      })
    )

    it.effect("keeps a server's headers for the very same URL only, and drops them on demand", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { path } = yield* created(tenant, { mcp_servers: [{ ...SERVER, headers: { a: "b" } }] })
        const hasHeaders = (server: object) =>
          Effect.map(
            api.call("PATCH", path, { key: tenant.workspaceKey, body: { mcp_servers: [server] } }),
            ({ json }) => json["mcp_servers"]![0]!["has_headers"] as unknown
          )
        assert.isTrue(yield* hasHeaders(SERVER))
        assert.isFalse(yield* hasHeaders({ ...SERVER, url: "https://elsewhere.example.com/" }))
        assert.isFalse(yield* hasHeaders(SERVER))
        assert.isTrue(yield* hasHeaders({ ...SERVER, headers: { a: "c" } }))
        assert.isFalse(yield* hasHeaders({ ...SERVER, headers: {} }))
      })
    )

    it.effect("makes a new signing secret for another URL or on demand, and shows it this once", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const url = "https://agents.example.com/run"
        const { path } = yield* created(tenant, { endpoint: { url } })
        const secretOf = (endpoint: object | null) =>
          Effect.map(
            api.call("PATCH", path, { key: tenant.workspaceKey, body: { endpoint } }),
            ({ json }) => (json["endpoint"] as unknown as { signing_secret: string } | null)?.signing_secret ?? null
          )
        assert.isNull(yield* secretOf({ url }))
        const rotated = yield* secretOf({ url, rotate_secret: true })
        assert.isNotNull(rotated)
        const moved = yield* secretOf({ url: `${url}/2` })
        assert.isNotNull(moved)
        assert.notStrictEqual(moved, rotated)
        assert.isNull(yield* secretOf(null))
        assert.isNotNull(yield* secretOf({ url: `${url}/2` }))
      })
    )

    it.effect("answers 422 to a recipe that is not registered, and to a URL that may not be called", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { path } = yield* created(tenant, {})
        const bodies: ReadonlyArray<readonly [string, object]> = [
          ["/recipe", { recipe: "magic" }],
          ["/recipes/1", { recipes: ["demo", "magic"] }],
          ["/endpoint/url", { endpoint: { url: "https://agents.internal/run" } }],
          ["/name", { name: "" }],
          ["/colour", { colour: "red" }]
        ]
        for (const [pointer, body] of bodies) {
          const { json, status } = yield* api.call("PATCH", path, { key: tenant.workspaceKey, body })
          assert.strictEqual(`${status} ${json["errors"]![0]!["pointer"]}`, `422 ${pointer}`)
        }
      })
    )
  })

  describe("DELETE /api/v1/agents/{agent_id}", () => {
    it.effect("answers 200 and the second time the same; nothing can be triggered, and past runs stay", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const key = tenant.workspaceKey
        const agent_id = yield* anAgent(tenant)
        const run = yield* api.call("POST", "/api/v1/runs/", { key, body: { agent_id } })
        const path = `${AGENTS}/${agent_id}`
        const { json, status } = yield* api.call("DELETE", path, { key })
        assert.strictEqual(status, 200)
        assert.strictEqual(`${json["agent_id"]} ${json["status"]}`, `${agent_id} archived`)
        assert.deepStrictEqual((yield* api.call("DELETE", path, { key })).json, json)
        const refused = yield* api.call("POST", "/api/v1/runs/", { key, body: { agent_id } })
        assert.strictEqual(`${refused.status} ${refused.json["code"]}`, "404 not_found")
        assert.strictEqual((yield* api.call("GET", `/api/v1/runs/${run.json["run_id"]}`, { key })).status, 200)
        assert.strictEqual(String((yield* api.call("GET", path, { key })).json["status"]), "archived")
        assert.strictEqual((yield* api.call("PATCH", path, { key, body: {} })).status, 404)
        assert.strictEqual((yield* api.call("POST", `${path}/webhooks`, { key, body: {} })).status, 404)
        assert.deepStrictEqual((yield* api.call("GET", AGENTS, { key })).json["items"] as unknown, [])
        const actions = (yield* activityOf(tenant)).map(({ action }) => action)
        assert.deepStrictEqual(actions, ["agent.created", "agent.deleted"])
      })
    )
  })
})
