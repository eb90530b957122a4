/** The requests to each model, and the outcome of its answers. */
import type { ContentPart, ModelSettings } from "@agent-platform/runs"
import { assert } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import type { Answer } from "../ScriptedServer.ts"
import type { layerOfModels } from "../support.ts"
import { type Body, bodyOf, given, PATHS, SPOKEN, textOf } from "./subject.ts"
import type { Feature, Subject } from "./table.ts"

const TOOLS = { tools: ["http_request"] }
const CALL = { name: "http_request", input: { url: "https://nowhere.invalid/" } }
const SECRET = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCD"
const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false
}

/** A dot, as PNG, and a document. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const PDF = btoa("%PDF-1.4 a contract")

/** The server's answer to somebody who fetches the dot. */
export const dot: Answer = (response) =>
  void response.writeHead(200, { "content-type": "image/png" }).end(Uint8Array.from(atob(DOT), (c) => c.charCodeAt(0)))

export const imageAt = (url: string): ContentPart => ({
  type: "image",
  mediaType: null,
  source: { type: "url", url: `${url}/dot.png` }
})

const memberOf = (body: Body, name: string) => (body[name] ?? {}) as Body

/** How each is told to think, within 4,096 tokens. */
const claudeThinks = { type: "enabled", budget_tokens: 3_072 }
const THINKING: Readonly<Record<Subject, (body: Body) => readonly [sent: unknown, limit: unknown]>> = {
  openai: (body) => [body["reasoning"], body["max_output_tokens"]],
  azure: (body) => [body["reasoning"], body["max_output_tokens"]],
  anthropic: (body) => [body["thinking"], body["max_tokens"]],
  google: (body) => [
    memberOf(memberOf(body, "generationConfig"), "thinkingConfig")["includeThoughts"],
    memberOf(body, "generationConfig")["maxOutputTokens"]
  ],
  "vertex, Gemini": (body) => THINKING.google(body),
  "vertex, Claude": (body) => THINKING.anthropic(body),
  "bedrock, Claude": (body) => [
    memberOf(body, "additionalModelRequestFields")["thinking"],
    memberOf(body, "inferenceConfig")["maxTokens"]
  ],
  "bedrock, Nova 2": (body) => [
    memberOf(body, "additionalModelRequestFields")["reasoningConfig"],
    memberOf(body, "inferenceConfig")["maxTokens"]
  ],
  "bedrock, others": () => [undefined, undefined],
  openai_compatible: (body) => [body["reasoning_effort"], body["max_tokens"]]
}
const THINKING_SENT: Readonly<Record<Subject, unknown>> = {
  openai: { effort: "high", summary: "auto" },
  azure: { effort: "high", summary: "auto" },
  anthropic: claudeThinks,
  google: true,
  "vertex, Gemini": true,
  "vertex, Claude": claudeThinks,
  "bedrock, Claude": claudeThinks,
  "bedrock, Nova 2": { type: "enabled", maxReasoningEffort: "medium" },
  "bedrock, others": undefined,
  openai_compatible: "high"
}

/** Which words of a request mark what is to be remembered, by the cell. */
const CACHE_WORDS: Readonly<Record<string, RegExp>> = {
  named: /"prompt_cache_key":/,
  marked: /"cache_control":|"cachePoint":/
}

/** Which words ask for a result of a schema, by the cell and the interface. */
const SCHEMA_WORDS: Readonly<Record<string, RegExp>> = {
  openai: /"type":"json_schema","strict":true|"strict":true,.*"type":"json_schema"|"type":"json_schema"/,
  anthropic: /"output_config":\{.*"json_schema"|"output_format":\{.*"json_schema"/,
  google: /"responseJsonSchema":|"responseSchema":/,
  bedrock: /"output_config":\{.*"json_schema"/,
  openai_compatible: /"response_format":\{"type":"json_schema"/
}

/** The settings that a feature is asked for with, where it is one of these. */
export const SETTINGS_OF: Readonly<Partial<Record<Feature, ModelSettings>>> = {
  oneTool: { parallelToolCalls: false },
  reasoning: { reasoningEffort: "high" },
  stop: { stop: ["END"] },
  seed: { seed: 7 }
}

/** Proves a cell of the table that says more than that the feature is refused. */
export type Proof = (
  subject: Subject,
  cell: string
) => Effect.Effect<void, unknown, Layer.Success<typeof layerOfModels> | Scope.Scope>

const shownContent = (part: ContentPart, words: string): Proof =>
  Effect.fnUntraced(function* (subject) {
    const { anAgent, turn, wire } = yield* given(subject)
    const content = { content: [part] }
    const { asked, run } = yield* turn(yield* anAgent({}), [wire.whole({ text: "Seen" })], content)
    assert.deepInclude(run, { status: "succeeded", message: "Seen" })
    assert.include(asked[0]?.text, words)
  })

const settingSent = (settings: ModelSettings, words: RegExp): Proof =>
  Effect.fnUntraced(function* (subject) {
    const { run, wire } = yield* given(subject)
    const { asked, run: after } = yield* run(settings, [wire.whole({ text: "Hi" })], TOOLS)
    assert.strictEqual(after.status, "succeeded")
    assert.match(asked[0]?.text ?? "", words)
  })

export const REQUESTS = {
  streaming: Effect.fnUntraced(function* (subject) {
    const { run, spend, wire } = yield* given(subject)
    const { asked, log, run: after } = yield* run({}, [wire.whole({ text: ["Good ", "morning."] })])
    assert.deepInclude(after, { status: "succeeded", error: null, message: "Good morning." })
    assert.strictEqual(textOf(log, "message.delta"), "Good morning.")
    assert.strictEqual(asked[0]?.url, PATHS[subject])
    const { end } = spend.calls[0] ?? {}
    const isCompatible = subject === "openai_compatible"
    const [inputTokens, outputTokens] = isCompatible ? [120, 30] : [40, 8]
    assert.deepInclude(end?.usage, { inputTokens, outputTokens })
    assert.strictEqual(end?.status, "ok")
  }),

  parallelTools: Effect.fnUntraced(function* (subject) {
    const { run, wire } = yield* given(subject)
    const two = ["one", "two"].map((name) => ({ ...CALL, input: { url: `https://${name}.invalid/` } }))
    const answers = [wire.whole({ calls: two }), wire.whole({ text: "Done" })]
    const { asked, log, run: after } = yield* run({}, answers, TOOLS)
    assert.deepInclude(after, { status: "succeeded", error: null, message: "Done" })
    assert.strictEqual(log.filter(({ type }) => type === "tool.completed").length, 2)
    assert.strictEqual(asked.length, 2)
    const text = asked[1]?.text ?? ""
    // Each call, and then each result, in the order in which the model called.
    const places = ["one.invalid", "two.invalid"].map((host) => text.indexOf(host))
    assert.isTrue(places.every((place) => place > 0))
    assert.isBelow(places[0] ?? 0, places[1] ?? 0)
    const results = text.match(/could not be|cannot|refused|failed|not found|resolve/gi) ?? []
    assert.isAtLeast(results.length, 2)
  }),

  oneTool: settingSent({ parallelToolCalls: false }, /"parallel_tool_calls":false|"disable_parallel_tool_use":true/),

  toolChoice: Effect.fnUntraced(function* (subject) {
    const { run, wire } = yield* given(subject)
    const answers = [wire.whole({ call: CALL }), wire.whole({ text: "Done" })]
    const { asked, run: after } = yield* run({ toolChoice: { name: "http_request" } }, answers, TOOLS)
    assert.deepInclude(after, { status: "succeeded", error: null, message: "Done" })
    const choices = asked.map((one) => {
      const body = bodyOf(one)
      return JSON.stringify(body["tool_choice"] ?? memberOf(body, "toolConfig")["toolChoice"] ?? body["toolConfig"])
    })
    assert.include(choices[0], "http_request")
    assert.notInclude(choices[1] ?? "", '"http_request"')
  }),

  reasoning: Effect.fnUntraced(function* (subject) {
    const { run, spend, wire } = yield* given(subject)
    const reasoningEffort = subject === "bedrock, Nova 2" ? "medium" : "high"
    const answers = [wire.whole({ reasoning: `I have ${SECRET} here. `, text: "Hi" })]
    const { asked, log, run: after } = yield* run({ reasoningEffort, maxOutputTokens: 4_096 }, answers)
    assert.deepInclude(after, { status: "succeeded", error: null, message: "Hi" })
    assert.strictEqual(textOf(log, "reasoning.delta"), textOf(log, "reasoning.completed"))
    assert.match(textOf(log, "reasoning.completed"), /^I have .*redacted.* here\. $/i)
    assert.notInclude(JSON.stringify(log), SECRET)
    const [first] = asked
    if (first === undefined) return assert.fail("The model is asked")
    assert.deepStrictEqual(THINKING[subject](bodyOf(first)), [THINKING_SENT[subject], 4_096])
    assert.strictEqual(spend.calls[0]?.call.outputTokensMax, 4_096)
  }),

  stop: settingSent({ stop: ["END"] }, /"(?:stop|stop_sequences|stopSequences)":\["END"\]/),

  seed: settingSent({ seed: 7 }, /"seed":7\b/),

  cache: Effect.fnUntraced(function* (subject, cell) {
    const { run, spend, wire } = yield* given(subject)
    const answers = [wire.whole({ text: "Hi" })]
    const asked = [yield* run({}, answers), yield* run({ promptCache: "off" }, answers)]
    const words = Object.values(CACHE_WORDS).map((pattern) =>
      asked.map((one) => pattern.test(one.asked[0]?.text ?? ""))
    )
    const expected = Object.keys(CACHE_WORDS).map((name) => [name === cell, false])
    assert.deepStrictEqual(words, expected)
    assert.isAbove(spend.calls[0]?.end?.usage?.cacheReadTokens ?? 0, 0)
  }),

  schema: Effect.fnUntraced(function* (subject, cell) {
    const { run, wire } = yield* given(subject)
    const value = { city: "Oslo" }
    const isByTool = cell === "by a tool"
    const said = isByTool ? { call: { name: "json", input: value } } : { text: JSON.stringify(value) }
    const { asked, run: after } = yield* run({ outputSchema: SCHEMA }, [wire.whole(said)])
    assert.deepInclude(after, { status: "succeeded", error: null })
    assert.deepStrictEqual(after.result, value)
    const text = asked[0]?.text ?? ""
    const tool = /"name":"json"/
    if (isByTool) assert.match(text, tool)
    else {
      assert.notMatch(text, tool)
      assert.match(text, SCHEMA_WORDS[SPOKEN[subject].by] ?? /never/)
    }
  }),

  image: shownContent({ type: "image", mediaType: "image/png", source: { type: "data", data: DOT } }, DOT),

  document: shownContent(
    { type: "file", mediaType: "application/pdf", filename: "contract.pdf", source: { type: "data", data: PDF } },
    PDF
  ),

  address: Effect.fnUntraced(function* (subject, cell) {
    const { anAgent, server, turn, wire } = yield* given(subject)
    const part = imageAt(server.url)
    const isOurs = cell === "platform"
    const answers = [...(isOurs ? [dot] : []), wire.whole({ text: "Seen" })]
    const { asked, run } = yield* turn(yield* anAgent({}), answers, { content: [part] })
    assert.deepInclude(run, { status: "succeeded", message: "Seen" })
    assert.strictEqual(asked.length, answers.length)
    assert.strictEqual(asked.at(-1)?.text.includes(DOT), isOurs)
    assert.strictEqual(asked.at(-1)?.text.includes(`${server.url}/dot.png`), !isOurs)
  })
} satisfies Partial<Record<Feature, Proof>>
