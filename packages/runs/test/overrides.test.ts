/** Settings that runs have in the place of their agent's. */
import { type Given, type Recipe, type RunOverrides, Runs, startRunWorker, type Turn } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { aStoredAgent, ended, memory, trigger } from "./support.ts"

/** Says with which settings it was called, asks on a run whose message is "ask", and knows no tool `rm`. */
const recipe: Recipe = {
  name: "settings",
  flawOf: ({ model, modelSettings, tools }) => {
    if (tools.includes("rm")) return { path: ["tools", tools.indexOf("rm")], detail: "must not be rm" }
    return model === "cold" && modelSettings.temperature !== undefined
      ? { path: ["temperature"], detail: "must be left to the model" }
      : undefined
  },
  execute: ({ agent: { instructions, model, modelSettings, tools }, run }: Turn) =>
    Effect.succeed(
      run.prompt === "ask"
        ? { _tag: "Paused", message: "What?", interrupt: null }
        : { _tag: "Succeeded", result: { instructions, model, tools, ...modelSettings } as never, message: null }
    )
}

const SETTINGS = {
  recipe: "settings",
  model: "small",
  instructions: "Be brief.",
  modelSettings: { temperature: 1, seed: 7 },
  overridable: ["model", "tools", "temperature", "outputSchema"] as const
}

const layer = memory(recipe)
const worker = startRunWorker()

describe("A run", () => {
  it.live("is executed with its own settings in the place of its agent's, and shows them and the model", () =>
    Effect.gen(function* () {
      yield* worker
      const of = yield* aStoredAgent(SETTINGS)
      const overrides = { model: "large", temperature: 0, tools: null }
      const run = yield* ended(of.caller, (yield* trigger(of, { overrides })).id)
      assert.deepStrictEqual(run.overrides, { model: "large", temperature: 0 })
      assert.strictEqual(run.model, "large")
      const result = { instructions: "Be brief.", model: "large", tools: [], temperature: 0, seed: 7 }
      assert.deepStrictEqual(run.result, result)
      const plain = yield* ended(of.caller, (yield* trigger(of)).id)
      assert.deepStrictEqual([plain.overrides, plain.model], [null, "small"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("has no setting that its agent keeps to itself, and is told which it may have", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent(SETTINGS)
      const refused = yield* Effect.flip(trigger(of, { overrides: { temperature: 0, instructions: "Be rude." } }))
      assert.deepInclude(refused, { _tag: "OverrideRefused", setting: "instructions" })
      assert.deepStrictEqual("overridable" in refused ? refused.overridable : [], SETTINGS.overridable)
    }).pipe(Effect.provide(layer))
  )

  it.effect("has none that its recipe cannot work with, by itself or beside its agent's", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent(SETTINGS)
      const refusal = (overrides: Given<RunOverrides>) => Effect.flip(trigger(of, { overrides }))
      assert.deepInclude(yield* refusal({ tools: ["ls", "rm"] }), { _tag: "AgentFlawed", path: ["tools", 1] })
      assert.deepInclude(yield* refusal({ model: "cold" }), {
        _tag: "AgentFlawed",
        path: ["model"],
        detail: "does not go with the agent: its temperature must be left to the model"
      })
      assert.deepInclude(yield* refusal({ outputSchema: { properties: { a: { type: "spaceship" } } } }), {
        _tag: "AgentFlawed",
        path: ["outputSchema", "properties", "a", "type"]
      })
    }).pipe(Effect.provide(layer))
  )

  it.live(
    "that answers a question goes on with the settings of the one that asked, and with those that it is given",
    () =>
      Effect.gen(function* () {
        yield* worker
        const runs = yield* Runs
        const of = yield* aStoredAgent(SETTINGS)
        const asked = yield* ended(of.caller, (yield* trigger(of, { prompt: "ask", overrides: { model: "large" } })).id)
        const { caller } = of
        const reply = { caller, sessionId: asked.sessionId, message: "This" }
        const refused = yield* Effect.flip(runs.replyToSession({ ...reply, overrides: { seed: 1 } }))
        assert.strictEqual(refused._tag, "OverrideRefused")
        const { value } = yield* runs.replyToSession({ ...reply, overrides: { temperature: 0.5 } })
        assert.deepStrictEqual(value.overrides, { model: "large", temperature: 0.5 })
        const again = yield* ended(of.caller, value.id)
        assert.strictEqual(again.model, "large")
        // The next reply goes on without the settings that the agent does not leave to its runs any more.
        const change = { caller, agentId: of.agent.id, settings: { overridable: ["temperature" as const] } }
        yield* runs.updateAgent(change)
        const next = yield* runs.replyToSession({ ...reply, message: "That" })
        assert.deepStrictEqual(next.value.overrides, { temperature: 0.5 })
      }).pipe(Effect.provide(layer))
  )
})

describe("An agent", () => {
  it.effect("loses a setting of its model by null, keeps those that are left out, and says what has changed", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { agent, caller } = yield* aStoredAgent(SETTINGS)
      const change = { seed: null, topP: 0.5 }
      const changed = yield* runs.updateAgent({ caller, agentId: agent.id, settings: { modelSettings: change } })
      assert.deepStrictEqual(changed.agent.modelSettings, { temperature: 1, topP: 0.5 })
      const same = yield* runs.updateAgent({ caller, agentId: agent.id, settings: { modelSettings: change } })
      assert.strictEqual(same.agent.version, changed.agent.version)
    }).pipe(Effect.provide(layer))
  )

  it.effect("has no schemas by which nothing can be checked", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { caller } = yield* aStoredAgent()
      const parameters = { type: "spaceship" }
      const functionTools = [{ name: "f", description: "", parameters }]
      const create = { caller, name: "A", recipe: "demo" }
      assert.deepInclude(yield* Effect.flip(runs.createAgent({ ...create, functionTools })), {
        _tag: "AgentFlawed",
        path: ["functionTools", 0, "parameters", "type"]
      })
      assert.deepInclude(
        yield* Effect.flip(runs.createAgent({ ...create, modelSettings: { outputSchema: parameters } })),
        { _tag: "AgentFlawed", path: ["outputSchema", "type"] }
      )
    }).pipe(Effect.provide(layer))
  )
})
