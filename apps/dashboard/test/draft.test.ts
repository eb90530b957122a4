/** Settings of agents in their form, and what two versions of them differ in. */
import { assert, describe, it } from "vitest"
import { differencesOf } from "../src/screens/agents/differences.ts"
import { type AgentSettings, draftOf, settingsOf } from "../src/screens/agents/draft.ts"
import { givenJson } from "../src/ui/givenJson.ts"

const SERVER = { name: "orders", url: "https://mcp.example.com", has_headers: true, tools: null }

const settings = (change: Partial<AgentSettings> = {}): AgentSettings => ({
  name: "Helper",
  description: null,
  recipe: "chat",
  recipes: [],
  model: "openai/gpt-5",
  instructions: "Be brief.",
  tools: ["ask_user"],
  temperature: 0.5,
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
  mcp_servers: [SERVER],
  max_cost_usd: null,
  input_schema: null,
  endpoint: null,
  ...change
})

describe("the settings of an agent in a form", () => {
  it("are sent as far as they differ, what is empty there as null", () => {
    const other = settings({ instructions: null, temperature: null, tools: [], prompt_cache: "off" })
    assert.deepStrictEqual(settingsOf(draftOf(other), draftOf(settings())), {
      instructions: null,
      temperature: null,
      tools: [],
      prompt_cache: "off"
    })
    assert.deepStrictEqual(settingsOf(draftOf(settings()), draftOf(settings())), {})
  })

  it("are sent in the digits that were written, which the service refuses where it would change them", () => {
    const others = '{"input_schema": {"maximum": 9007199254740993, "minimum": 0.5}}'
    const sent = settingsOf({ ...draftOf(settings()), others }, draftOf(settings()))
    assert.include(JSON.stringify(sent), '{"maximum":9007199254740993,"minimum":0.5}')
    assert.throws(() => givenJson('{"a": '))
  })

  it("say of servers nothing that is only shown", () => {
    const other = settings({ mcp_servers: [{ ...SERVER, tools: ["find"] }] })
    assert.deepStrictEqual(settingsOf(draftOf(other), draftOf(settings())), {
      mcp_servers: [{ name: "orders", url: "https://mcp.example.com", tools: ["find"] }]
    })
    // Headers that there are, or not, are no change that could be sent.
    const without = settings({ mcp_servers: [{ ...SERVER, has_headers: false }] })
    assert.deepStrictEqual(settingsOf(draftOf(without), draftOf(settings())), {})
  })
})

describe("two versions of an agent", () => {
  it("differ in settings, and in no secret of theirs", () => {
    const url = "https://agent.example.com/run"
    const before = settings({ endpoint: { url } })
    const after = settings({ instructions: "Be long.", endpoint: { url, ...{ signing_secret: "whsec_x" } } })
    assert.deepStrictEqual(differencesOf(before, after), [
      { name: "instructions", before: "Be brief.", after: "Be long." }
    ])
  })
})
