import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as layerApi, TestApi } from "./support.ts"

const AGENTS = "/api/v1/agents"

const aTool = { name: "find", description: "Finds an order", parameters: { type: "object" } }

const aServer = { name: "search", url: "https://tools.example.com/mcp" }

layer(layerApi, { excludeTestServices: true })("agents", (it) => {
  describe("GET /api/v1/agents/{agent_id}/versions", () => {
    it.effect("lists what the agent was from each change on, the latest first, without a secret", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const mcp_servers = [{ ...aServer, headers: { Authorization: "Bearer of-the-server" } }]
        const made = yield* api.call("POST", AGENTS, { key, body: { name: "One", recipe: "demo", mcp_servers } })
        const path = `${AGENTS}/${made.json["agent_id"]}`
        yield* api.call("PATCH", path, { key, body: { name: "Two", temperature: 0.5, max_cost_usd: "1.50" } })
        yield* api.call("DELETE", path, { key })
        const { json, status } = yield* api.call("GET", `${path}/versions?limit=2`, { key })
        assert.strictEqual(status, 200)
        const items = json["items"] as unknown as ReadonlyArray<Record<string, unknown>>
        assert.deepStrictEqual(
          items.map(({ name, status, version }) => [version, name, status]),
          [
            [3, "Two", "archived"],
            [2, "Two", "active"]
          ]
        )
        assert.deepInclude(items[1], { temperature: 0.5, max_cost_usd: "1.50", endpoint: null, prompt_cache: "auto" })
        assert.deepStrictEqual(items[1]?.["mcp_servers"], [{ ...aServer, has_headers: true, tools: null }])
        const rest = yield* api.call("GET", `${path}/versions?limit=2&cursor=${json["next_cursor"]}`, { key })
        const [first] = rest.json["items"] as unknown as ReadonlyArray<Record<string, unknown>>
        assert.deepInclude(first, { version: 1, name: "One", temperature: null, max_cost_usd: null })
        assert.isNull(rest.json["next_cursor"])
      })
    )
  })

  describe("POST /api/v1/agents", () => {
    it.effect("answers 201 with the whole agent", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const { json, status } = yield* api.call("POST", AGENTS, {
          key: workspaceKey,
          body: { name: "Greeter", description: "Says hello", recipe: "demo", recipes: ["demo"], max_cost_usd: "5.250" }
        })
        assert.strictEqual(status, 201)
        const { agent_id, created_at, updated_at, ...rest } = json as unknown as Record<string, unknown>
        assert.match(String(agent_id), /^[0-9a-f-]{36}$/)
        assert.strictEqual(created_at, updated_at)
        assert.deepStrictEqual(rest, {
          name: "Greeter",
          description: "Says hello",
          recipe: "demo",
          recipes: ["demo"],
          model: null,
          instructions: null,
          tools: [],
          mcp_servers: [],
          temperature: null,
          top_p: null,
          max_output_tokens: null,
          stop: null,
          seed: null,
          reasoning_effort: null,
          tool_choice: null,
          parallel_tool_calls: null,
          output_schema: null,
          provider_options: null,
          prompt_cache: "auto",
          function_tools: [],
          approvals: [],
          overridable: [],
          endpoint: null,
          max_cost_usd: "5.25",
          input_schema: null,
          version: 1,
          status: "active",
          webhook: null
        })
      })
    )

    it.effect("takes null for what may be left out", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const { json, status } = yield* api.call("POST", AGENTS, {
          key: workspaceKey,
          body: { name: "Greeter", description: null, model: null, instructions: null, max_cost_usd: null }
        })
        assert.strictEqual(status, 201)
        assert.strictEqual(String(json["recipe"]), "demo")
      })
    )

    it.effect("answers 422 to recipes that are not registered, pointing at each", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const own = yield* api.call("POST", AGENTS, { key: workspaceKey, body: { name: "x", recipe: "magic" } })
        assert.strictEqual(own.status, 422)
        assert.strictEqual(String(own.json["errors"]![0]!["pointer"]), "/recipe")
        assert.match(String(own.json["detail"]), /^\/recipe must be a recipe that is registered here: .*\bdemo\b/)
        const further = yield* api.call("POST", AGENTS, {
          key: workspaceKey,
          body: { name: "x", recipe: "demo", recipes: ["demo", "magic"] }
        })
        assert.strictEqual(String(further.json["errors"]![0]!["pointer"]), "/recipes/1")
      })
    )

    it.effect("answers 422 to names, texts and amounts out of bounds", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const bodies: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
          ["/name", { name: "" }],
          ["/name", { name: "   " }],
          ["/name", { name: "two\nlines" }],
          ["/name", { name: "x".repeat(101) }],
          ["/name", { name: "\ud800" }],
          ["/description", { name: "x", description: "a\u0000b" }],
          ["/instructions", { name: "x", instructions: "x".repeat(100_001) }],
          ["/max_cost_usd", { name: "x", max_cost_usd: "1e3" }],
          ["/max_cost_usd", { name: "x", max_cost_usd: "-1" }],
          ["/max_cost_usd", { name: "x", max_cost_usd: 1 }],
          ["/tools", { name: "x", tools: "search" }],
          ["/tools/0", { name: "x", tools: [""] }],
          ["/endpoint/url", { name: "x", endpoint: {} }],
          ["/endpoint", { name: "x", recipe: "http" }],
          ["/endpoint", { name: "x", recipes: ["http"] }],
          ["/input_schema", { name: "x", input_schema: [] }],
          ["/input_schema/properties/a~1b/type", { name: "x", input_schema: { properties: { "a/b": { type: 1 } } } }],
          ["/input_schema/items/$ref", { name: "x", input_schema: { items: { $ref: "https://example.com/a" } } }],
          ["/temperature", { name: "x", temperature: 2.1 }],
          ["/top_p", { name: "x", top_p: -0.1 }],
          ["/max_output_tokens", { name: "x", max_output_tokens: 128_001 }],
          ["/stop", { name: "x", stop: ["a", "b", "c", "d", "e"] }],
          ["/seed", { name: "x", seed: 1.5 }],
          ["/reasoning_effort", { name: "x", reasoning_effort: "huge" }],
          ["/tool_choice", { name: "x", tool_choice: "some" }],
          ["/output_schema/type", { name: "x", output_schema: { type: "spaceship" } }],
          ["/output_schema", { name: "x", output_schema: { description: "x".repeat(65 * 1024) } }],
          ["/provider_options", { name: "x", provider_options: { openai: { user: "x".repeat(17 * 1024) } } }],
          ["/function_tools/0/name", { name: "x", function_tools: [{ ...aTool, name: "a b" }] }],
          ["/function_tools/0/parameters/type", { name: "x", function_tools: [{ ...aTool, parameters: { type: 1 } }] }],
          ["/function_tools", { name: "x", function_tools: [aTool, aTool] }],
          ["/approvals/0", { name: "x", approvals: [""] }],
          ["/overridable/0", { name: "x", overridable: ["name"] }],
          ["/overridable", { name: "x", overridable: ["seed", "seed"] }],
          ["/mcp_servers", { name: "x", mcp_servers: [aServer, aServer] }],
          ["/mcp_servers/0/name", { name: "x", mcp_servers: [{ ...aServer, name: "a b" }] }],
          ["/mcp_servers/0/headers/Host", { name: "x", mcp_servers: [{ ...aServer, headers: { Host: "x" } }] }],
          ["/mcp_servers/0/headers/a", { name: "x", mcp_servers: [{ ...aServer, headers: { a: "b\r\nc: d" } }] }],
          ["/mcp_servers/0/headers/a", { name: "x", mcp_servers: [{ ...aServer, headers: { a: "1", A: "2" } }] }]
        ]
        for (const [pointer, body] of bodies) {
          const { json, status } = yield* api.call("POST", AGENTS, { key: workspaceKey, body })
          assert.strictEqual(status, 422, JSON.stringify(body))
          assert.strictEqual(String(json["errors"]![0]!["pointer"]), pointer)
        }
      })
    )

    it.effect("takes settings of a model, and gives them back as they were sent", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const settings = {
          temperature: 0.5,
          top_p: 0.9,
          max_output_tokens: 64_000,
          stop: ["END"],
          seed: 7,
          reasoning_effort: "high",
          tool_choice: { name: "find" },
          parallel_tool_calls: false,
          output_schema: { type: "object" },
          provider_options: { openai: { verbosity: "low" } },
          prompt_cache: "off",
          function_tools: [aTool],
          approvals: ["*"],
          overridable: ["max_output_tokens", "model"]
        }
        const created = yield* api.call("POST", AGENTS, { key, body: { name: "Model", ...settings } })
        assert.deepInclude<unknown>(created.json, settings)
        const path = `${AGENTS}/${created.json["agent_id"]}`
        const changed = yield* api.call("PATCH", path, { key, body: { temperature: null, overridable: [] } })
        assert.deepInclude<unknown>(changed.json, { ...settings, temperature: null, overridable: [] })
      })
    )

    it.effect("creates once under an Idempotency-Key, also when asked many times at once", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const call = { key: workspaceKey, headers: { "idempotency-key": "k" }, body: { name: "Once" } }
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => api.call("POST", AGENTS, call)),
          {
            concurrency: "unbounded"
          }
        )
        assert.strictEqual(new Set(answers.map(({ json }) => String(json["agent_id"]))).size, 1)
        assert.strictEqual(answers.filter(({ headers }) => headers.get("idempotency-replayed") === null).length, 1)
        const { json } = yield* api.call("GET", AGENTS, { key: workspaceKey })
        assert.strictEqual((json["items"] as unknown as ReadonlyArray<unknown>).length, 1)
      })
    )

    it.effect("keeps the Idempotency-Keys of workspaces and of operations apart", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [one, two] = yield* Effect.all([api.tenant, api.tenant])
        const headers = { "idempotency-key": "k" }
        const body = { name: "Same" }
        const first = yield* api.call("POST", AGENTS, { key: one!.workspaceKey, headers, body })
        const other = yield* api.call("POST", AGENTS, { key: two!.workspaceKey, headers, body })
        const elsewhere = yield* api.call("POST", "/api/v1/auth/api-keys", { key: one!.workspaceKey, headers, body })
        assert.deepStrictEqual([first.status, other.status, elsewhere.status], [201, 201, 201])
        assert.notStrictEqual(String(first.json["agent_id"]), String(other.json["agent_id"]))
      })
    )
  })

  describe("GET /api/v1/agents", () => {
    it.effect("answers 200 with 50 of them and a cursor for the rest", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        for (let index = 0; index < 51; index++) {
          yield* api.call("POST", AGENTS, { key: workspaceKey, body: { name: `Agent ${index}` } })
        }
        const first = yield* api.call("GET", AGENTS, { key: workspaceKey })
        assert.strictEqual(first.status, 200)
        const items = first.json["items"] as unknown as ReadonlyArray<{ name: string }>
        assert.strictEqual(items.length, 50)
        assert.strictEqual(items[0]?.name, "Agent 50")
        const rest = yield* api.call("GET", `${AGENTS}?cursor=${first.json["next_cursor"]}`, { key: workspaceKey })
        assert.strictEqual(String(rest.json["items"]![0]!["name"]), "Agent 0")
        assert.isNull(rest.json["next_cursor"])
      })
    )
  })
})
