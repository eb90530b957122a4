/** The settings of agents that the recipe refuses. */
import type { RecipeSettings } from "@agent-platform/runs"
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
const server = { name: "a", url: "https://mcp.example.com/", sealedHeaders: null }

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

  it("a choice among tools that there can be", () => {
    assert.deepStrictEqual(flaw({ modelSettings: { toolChoice: "required" } }), ["toolChoice"])
    assert.isUndefined(flaw({ modelSettings: { toolChoice: "none" } }))
    assert.isUndefined(flaw({ modelSettings: { toolChoice: "required" }, functionTools: [find] }))
    const modelSettings = { toolChoice: { name: "add" } }
    assert.deepStrictEqual(flaw({ modelSettings, functionTools: [find] }), ["toolChoice", "name"])
    assert.isUndefined(flaw({ modelSettings, functionTools: [find], mcpServers: [server] }))
  })
})
