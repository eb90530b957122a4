/** The effect of agents' settings on their runs. */
import { MemoryEgress } from "@agent-platform/kernel/memory"
import { type Recipe, Runs } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { aStoredAgent, memory, trigger } from "./support.ts"

const picky: Recipe = {
  name: "picky",
  flawOf: ({ tools }) => {
    const place = tools.indexOf("rm")
    return place === -1 ? undefined : { path: ["tools", place], detail: "must not be rm" }
  },
  execute: () => Effect.succeed({ _tag: "Succeeded", result: null, message: null })
}

describe("an agent", () => {
  it.effect("refuses runs whose input has not the form that it asks for, and says how it differs", () =>
    Effect.gen(function* () {
      const inputSchema = { type: "object", properties: { order: { type: "integer" } }, required: ["order"] }
      const of = yield* aStoredAgent({ inputSchema })
      assert.deepStrictEqual((yield* trigger(of, { input: { order: 7 } })).input, { order: 7 })
      for (const input of [null, {}, { order: "7" }, []]) {
        const refused = yield* Effect.flip(trigger(of, { input }))
        assert.strictEqual(refused._tag, "InputSchemaMismatch")
        assert.isNotEmpty("detail" in refused ? refused.detail : "")
        const isInside = input !== null && "order" in input
        assert.deepStrictEqual("path" in refused ? refused.path : undefined, isInside ? ["order"] : [])
      }
    }).pipe(Effect.provide(memory()))
  )

  it.effect("refuses inputs that take too long to check, and takes those that take long", () =>
    Effect.gen(function* () {
      const texts = (count: number) => ({ input: Array.from({ length: count }, () => "x") })
      const alternatives = Array.from({ length: 300 }, (_, index) => ({ const: `${index}` }))
      const of = yield* aStoredAgent({ inputSchema: { items: { anyOf: [...alternatives, { type: "string" }] } } })
      const refused = yield* Effect.flip(trigger(of, texts(60_000)))
      assert.deepInclude(refused, {
        _tag: "InputSchemaMismatch",
        detail: "it cannot be checked within 1000000 steps"
      })
      assert.strictEqual((yield* trigger(of, texts(500))).status, "queued")
    }).pipe(Effect.provide(memory()))
  )

  it.effect("has no input schema by which nothing can be checked", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { agent, caller } = yield* aStoredAgent()
      const inputSchema = { properties: { order: { type: "spaceship" } } }
      for (const refused of [
        yield* Effect.flip(runs.createAgent({ caller, name: "A", recipe: "demo", inputSchema })),
        yield* Effect.flip(runs.updateAgent({ caller, agentId: agent.id, settings: { inputSchema } }))
      ]) {
        assert.deepInclude(refused, { _tag: "AgentFlawed", path: ["inputSchema", "properties", "order", "type"] })
      }
    }).pipe(Effect.provide(memory()))
  )

  it.effect("cannot have settings that one of its recipes cannot work with", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { agent, caller } = yield* aStoredAgent()
      const make = (recipe: string, recipes: ReadonlyArray<string>, tools: ReadonlyArray<string>) =>
        runs.createAgent({ caller, name: "A", recipe, recipes, tools })
      yield* make("demo", [], ["ls", "rm"])
      yield* make("picky", [], ["ls"])
      for (const [recipe, recipes] of [
        ["picky", []],
        ["demo", ["picky"]]
      ] as const) {
        const refused = yield* Effect.flip(make(recipe, recipes, ["ls", "rm"]))
        assert.deepInclude(refused, { _tag: "AgentFlawed", path: ["tools", 1], detail: "must not be rm" })
      }
      const change = runs.updateAgent({ caller, agentId: agent.id, settings: { recipe: "picky", tools: ["rm"] } })
      assert.strictEqual((yield* Effect.flip(change))._tag, "AgentFlawed")
    }).pipe(Effect.provide(memory(picky)))
  )

  it.effect("lets a run cost no more than its own cap, whatever the run asks for", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent({ maxCostUsd: "2.50" })
      const caps = yield* Effect.forEach([null, "10.00", "0.5"], (maxCostUsd) => trigger(of, { maxCostUsd }))
      assert.deepStrictEqual(
        caps.map((run) => run.maxCostUsd),
        ["2.50", "2.50", "0.5"]
      )
      const free = yield* aStoredAgent()
      assert.isNull((yield* trigger(free)).maxCostUsd)
    }).pipe(Effect.provide(memory()))
  )

  it.effect("has its URLs judged for what each of them is called for", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { caller } = yield* aStoredAgent()
      const { admissions } = yield* MemoryEgress
      const before = admissions.length
      const endpoint = { url: "https://agent.example.com/run" }
      const mcpServers = [{ name: "a", url: "https://mcp.example.com/" }]
      const { value } = yield* runs.createAgent({ caller, name: "A", recipe: "http", endpoint, mcpServers })
      yield* runs.updateAgent({
        caller,
        agentId: value.agent.id,
        settings: { mcpServers: [...mcpServers, { name: "b", url: "https://mcp.example.com/b" }] }
      })
      assert.deepStrictEqual(admissions.slice(before), [
        [endpoint.url, "agents"],
        ["https://mcp.example.com/", "mcp"],
        ["https://mcp.example.com/b", "mcp"]
      ])
    }).pipe(Effect.provide(memory({ ...picky, name: "http" })))
  )

  it.effect("keeps no secret of an inbound URL that is deleted", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { agent, caller } = yield* aStoredAgent()
      yield* runs.createWebhook({ caller, agentId: agent.id, verification: "github" })
      const before = yield* runs.readAgent({ caller, agentId: agent.id })
      assert.isNotNull(before.webhook?.sealedSecret)
      yield* runs.deleteWebhook({ caller, agentId: agent.id })
      const after = yield* runs.readAgent({ caller, agentId: agent.id })
      assert.isNull(after.webhook?.sealedSecret)
    }).pipe(Effect.provide(memory()))
  )
})
