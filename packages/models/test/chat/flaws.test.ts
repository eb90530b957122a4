/** The settings of agents that the recipe refuses. */
import type { ModelSettings, RecipeSettings } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { chatFlawOf } from "../../src/chat/chatFlawOf.ts"

const SETTINGS: RecipeSettings = {
  model: "openai/gpt-5",
  instructions: null,
  tools: [],
  mcpServers: [],
  modelSettings: {},
  functionTools: [],
  approvals: []
}

const flaw = (settings: Partial<RecipeSettings>): ReadonlyArray<string | number> | undefined =>
  chatFlawOf({ ...SETTINGS, ...settings })?.path

const find = { name: "find", description: "Finds", parameters: { type: "object" } }
const server = { name: "a", url: "https://mcp.example.com/", sealedHeaders: null, tools: null }

describe("The recipe chat asks of an agent's settings", () => {
  it("a model with its provider, and tools that it has", () => {
    assert.isUndefined(flaw({ model: "google/gemini-2.5-flash", tools: ["ask_user", "http_request"] }))
    assert.deepStrictEqual(flaw({ model: null }), ["model"])
    assert.deepStrictEqual(flaw({ tools: ["ask_user", "rm"] }), ["tools", 1])
  })

  it("names of function tools that are not its own", () => {
    assert.isUndefined(flaw({ functionTools: [find] }))
    const functionTools = [find, { ...find, name: "ask_user" }]
    assert.deepStrictEqual(flaw({ functionTools }), ["functionTools", 1, "name"])
  })

  it("schemas of objects for the arguments of function tools", () => {
    for (const parameters of [{}, { type: "string" }, { type: ["object", "null"] }]) {
      const functionTools = [find, { ...find, name: "other", parameters }]
      assert.deepStrictEqual(flaw({ functionTools }), ["functionTools", 1, "parameters"])
    }
  })

  it("no setting that the provider of its model does not take", () => {
    const refused = [
      ["openai/gpt-5", { seed: 7 }, ["seed"]],
      ["azure/x", { stop: ["END"] }, ["stop"]],
      ["anthropic/x", { seed: 7 }, ["seed"]],
      ["anthropic/x", { temperature: 1.5 }, ["temperature"]],
      ["anthropic/x", { temperature: 1, topP: 1 }, ["topP"]],
      ["anthropic/x", { maxOutputTokens: 2_000, reasoningEffort: "low" }, ["maxOutputTokens"]],
      ["google/x", { parallelToolCalls: false }, ["parallelToolCalls"]],
      ["vertex/gemini-2.5-flash", { parallelToolCalls: false }, ["parallelToolCalls"]],
      ["vertex/claude-opus-4-5", { seed: 7 }, ["seed"]],
      ["vertex/claude-opus-4-5", { temperature: 1.5 }, ["temperature"]],
      ["vertex/claude-opus-4-5", { maxOutputTokens: 2_000, reasoningEffort: "low" }, ["maxOutputTokens"]],
      ["vertex/claude-opus-4-5", { outputSchema: { type: "object" }, reasoningEffort: "low" }, ["outputSchema"]],
      [
        "vertex/claude-opus-4-5",
        { providerOptions: { vertex: { safety_settings: [] } } },
        ["providerOptions", "vertex", "safety_settings"]
      ],
      ["bedrock/anthropic.claude-opus-4-5-v1", { seed: 7 }, ["seed"]],
      ["bedrock/anthropic.claude-opus-4-5-v1", { maxOutputTokens: 2_000, reasoningEffort: "low" }, ["maxOutputTokens"]],
      ["bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", { reasoningEffort: "low" }, ["reasoningEffort"]],
      ["bedrock/us.deepseek.r1-v1:0", { reasoningEffort: "low" }, ["reasoningEffort"]],
      ["bedrock/us.amazon.nova-pro-v1:0", { reasoningEffort: "low" }, ["reasoningEffort"]],
      ["bedrock/us.amazon.nova-2-lite-v1:0", { reasoningEffort: "high" }, ["reasoningEffort"]],
      ["bedrock/openai.gpt-oss-20b-1:0", { reasoningEffort: "none" }, ["reasoningEffort"]],
      ["bedrock/openai.gpt-oss-20b-1:0", { reasoningEffort: "max" }, ["reasoningEffort"]]
    ] as const
    for (const [model, modelSettings, path] of refused) {
      assert.deepStrictEqual<unknown>(flaw({ model, modelSettings }), path)
      assert.isUndefined(flaw({ model: "openai_compatible/x", modelSettings }))
    }
    const taken = [
      ["vertex/claude-opus-4-5", { parallelToolCalls: false, stop: ["END"], reasoningEffort: "max" }],
      ["vertex/gemini-2.5-flash", { seed: 7, providerOptions: { vertex: { safety_settings: [] } } }],
      ["bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0", { reasoningEffort: "xhigh" }],
      ["bedrock/us.amazon.nova-2-lite-v1:0", { reasoningEffort: "medium" }],
      ["bedrock/meta.llama3-1-8b-instruct-v1:0", { reasoningEffort: "none" }]
    ] as const
    for (const [model, modelSettings] of taken) assert.isUndefined(flaw({ model, modelSettings }), model)
  })

  it("options that their provider has, in the form that they have", () => {
    const options = (providerOptions: ModelSettings["providerOptions"] & {}) =>
      flaw({ modelSettings: { providerOptions } })
    assert.isUndefined(options({ openai: { verbosity: "low" }, google: { top_k: 5 }, anthropic: {} }))
    assert.deepStrictEqual(options({ mistral: {} }), ["providerOptions", "mistral"])
    assert.deepStrictEqual(options({ openai: { service_tier: "flex" } }), ["providerOptions", "openai", "service_tier"])
    assert.deepStrictEqual(options({ openai: { toString: "x" } }), ["providerOptions", "openai", "toString"])
    assert.deepStrictEqual(options({ anthropic: { top_k: 1.5 } }), ["providerOptions", "anthropic", "top_k"])
    const safety_settings = [{ category: "A", threshold: 1 }]
    assert.deepStrictEqual(options({ google: { safety_settings } }), ["providerOptions", "google", "safety_settings"])
  })

  it("the schema of an object for results", () => {
    assert.isUndefined(flaw({ modelSettings: { outputSchema: { type: "object" } } }))
    assert.deepStrictEqual(flaw({ modelSettings: { outputSchema: { type: "array" } } }), ["outputSchema"])
  })

  it("a choice among tools that there can be", () => {
    assert.deepStrictEqual(flaw({ modelSettings: { toolChoice: "required" } }), ["toolChoice"])
    assert.isUndefined(flaw({ modelSettings: { toolChoice: "none" } }))
    assert.isUndefined(flaw({ modelSettings: { toolChoice: "required" }, functionTools: [find] }))
    const modelSettings = { toolChoice: { name: "add" } }
    assert.deepStrictEqual(flaw({ modelSettings, functionTools: [find] }), ["toolChoice", "name"])
    assert.isUndefined(flaw({ modelSettings, functionTools: [find], mcpServers: [server] }))
  })
})
