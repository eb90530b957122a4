/** Messages that a provider refuses, and those that it is asked with instead. */
import { Runs } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unfitOfAnswer } from "../../src/chat/unfit.ts"
import { event, frame, frames } from "./bedrockWire.ts"
import { dot, imageAt } from "./features/requests.ts"
import { given, TOO_LONG, textOf, UNREADABLE } from "./features/subject.ts"
import type { Subject } from "./features/table.ts"
import { type Answer, events } from "./ScriptedServer.ts"
import { ended, layerOfModels } from "./support.ts"

const created = { type: "response.created", response: { id: "resp_1", created_at: 1_790_000_000, model: "m" } }
const full = { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." }
const exception = frame("exception", "validationException", JSON.stringify({ message: "Input is too long for this." }))

/** Refusals that come once the answer has begun with success. */
const IN_STREAMS: ReadonlyArray<readonly [Subject, Answer]> = [
  ["openai", events(created, { type: "error", error: { type: "invalid_request_error", ...full } })],
  ["openai", events(created, { type: "error", ...full })],
  ["azure", events(created, { type: "response.failed", response: { error: full, incomplete_details: null } })],
  ["openai_compatible", events({ error: { ...full, type: "BadRequestError", code: 400 } })],
  ["bedrock, Claude", frames([event("messageStart", { role: "assistant" }), exception])]
]

describe("A conversation that is too long for its model", () => {
  for (const [place, [subject, refused]] of IN_STREAMS.entries()) {
    it.live(`is known by what ${subject} says in its stream (${place + 1})`, () =>
      Effect.gen(function* () {
        const { anAgent, spend, turn, wire } = yield* given(subject)
        const agent = yield* anAgent({})
        const first = yield* turn(agent, [wire.whole({ text: "The first answer." })])
        const { sessionId } = first.run
        const second = yield* turn(agent, [refused, wire.whole({ text: "The second." })], { sessionId })
        assert.deepInclude(second.run, { status: "succeeded", message: "The second." })
        assert.deepStrictEqual(
          second.asked.map(({ text }) => text.includes("The first answer.")),
          [true, false]
        )
        assert.match(textOf(second.log, "log"), /with a shorter conversation: .* longer than the model takes$/)
        assert.deepInclude(spend.calls[1]?.end, { status: "error", errorCode: "context_full", sent: false })
        // Where there is nothing that could leave it is asked no more, and not twice as after a failure.
        const alone = yield* turn(agent, [refused])
        assert.deepInclude(alone.run, { status: "failed", errorCode: "provider_error" })
        assert.strictEqual(alone.asked.length, 1)
      }).pipe(Effect.scoped, Effect.provide(layerOfModels))
    )
  }

  it.live("loses what was sent beside earlier messages, then results of tools and turns, the oldest first", () =>
    Effect.gen(function* () {
      const { anAgent, server, turn, wire } = yield* given("google")
      const agent = yield* anAgent({}, { tools: ["http_request"] })
      const call = { name: "http_request", input: { url: "https://nowhere.invalid/" } }
      const says = (text: string) => wire.whole({ text })
      const first = yield* turn(agent, [wire.whole({ call }), says(`One. ${"x".repeat(4_000)}`)])
      const { sessionId } = first.run
      yield* turn(agent, [dot, says("Two.")], { sessionId, prompt: "See", content: [imageAt(server.url)] })
      const third = yield* turn(agent, [dot, TOO_LONG.google, says("Three.")], { sessionId, prompt: "Now?" })
      assert.deepInclude(third.run, { status: "succeeded", message: "Three." })
      const [before, after] = third.asked.slice(1).map(({ text }) => text)
      for (const part of ["One.", "Two.", "inlineData"]) assert.include(before, part)
      for (const part of ["Two.", "is left out", "Now?"]) assert.include(after, part)
      for (const part of ["One.", "inlineData", '"functionCall":']) assert.notInclude(after, part)
      // It stays so, and what was left out is not read again.
      const fourth = yield* turn(agent, [says("Four.")], { sessionId })
      assert.deepInclude(fourth.run, { status: "succeeded", message: "Four." })
      assert.strictEqual(fourth.asked.length, 1)
      assert.notInclude(fourth.asked[0]?.text, "One.")
    }).pipe(Effect.scoped, Effect.provide(layerOfModels))
  )

  it.live("may become too long again later in the same turn", () =>
    Effect.gen(function* () {
      const { anAgent, turn, wire } = yield* given("anthropic")
      const agent = yield* anAgent({}, { tools: ["http_request"] })
      const call = { name: "http_request", input: { url: "https://nowhere.invalid/", body: "y".repeat(2_000) } }
      const refused = TOO_LONG.anthropic
      const calls = wire.whole({ call })
      const { asked, run } = yield* turn(agent, [
        calls,
        calls,
        calls,
        refused,
        calls,
        refused,
        wire.whole({ text: "Done" })
      ])
      assert.deepInclude(run, { status: "succeeded", message: "Done" })
      assert.strictEqual(asked.length, 7)
      const left = asked.map(({ text }) => text.split("left out to make room").length - 1)
      assert.deepStrictEqual(left.slice(0, 4), [0, 0, 0, 0])
      assert.isAtLeast(left[4] ?? 0, 1)
      assert.isAbove(left[6] ?? 0, left[4] ?? 0)
    }).pipe(Effect.scoped, Effect.provide(layerOfModels))
  )
})

describe("An address that a provider cannot read", () => {
  it.live("is read by the platform where that can, in this turn and in later ones", () =>
    Effect.gen(function* () {
      const { anAgent, caller, server, turn, wire } = yield* given("openai")
      const refused = UNREADABLE.openai
      if (refused === undefined) return assert.fail("OpenAI refuses addresses")
      const says = wire.whole({ text: "Seen" })
      const agent = yield* anAgent({})
      const { asked, log, run } = yield* turn(agent, [refused, dot, says], { content: [imageAt(server.url)] })
      assert.deepInclude(run, { status: "succeeded", message: "Seen" })
      assert.deepStrictEqual(
        asked.map(({ method, text }) => [method, text.includes("data:image/png;base64,")]),
        [
          ["POST", false],
          ["GET", false],
          ["POST", true]
        ]
      )
      assert.match(textOf(log, "log"), /with what was sent read by the platform: .*invalid_image_url/)
      server.script(dot, says)
      const reply = { caller, sessionId: run.sessionId, message: "And now?" }
      const { value } = yield* Runs.use((runs) => runs.replyToSession(reply))
      assert.deepInclude(yield* ended(caller, value.id), { status: "succeeded", message: "Seen" })
      assert.strictEqual(server.asked.length, asked.length + 2)
    }).pipe(Effect.scoped, Effect.provide(layerOfModels))
  )

  it.live("is not looked for where there is none: the provider's words are the end of the run", () =>
    Effect.gen(function* () {
      const { anAgent, turn } = yield* given("openai")
      const { asked, run } = yield* turn(yield* anAgent({}), UNREADABLE.openai === undefined ? [] : [UNREADABLE.openai])
      assert.deepInclude(run, { status: "failed", errorCode: "provider_error" })
      assert.include(run.error, "Error while downloading the image")
      assert.strictEqual(asked.length, 1)
    }).pipe(Effect.scoped, Effect.provide(layerOfModels))
  )
})

describe("A refusal of something else than the messages", () => {
  const answer = (status: number, body: unknown) =>
    unfitOfAnswer({ status, body, isJson: true, retryAfterSeconds: undefined, errorType: "" })

  it("is not taken for one of them", () => {
    const others = [
      "max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens",
      "Unsupported parameter: 'temperature' is not supported with this model.",
      "tools.0.input_schema: JSON schema is invalid",
      "Your credit balance is too low",
      ""
    ]
    for (const message of others) assert.isUndefined(answer(400, { error: { message, code: null } }), message)
    for (const body of [undefined, null, "prompt is too long", [], { error: null }, { error: [] }]) {
      assert.isUndefined(answer(400, body))
    }
    assert.isUndefined(answer(500, { error: { message: "prompt is too long" } }))
    assert.strictEqual(answer(400, { error: { message: "prompt is too long" } }), "context_full")
    assert.strictEqual(answer(413, { error: { type: "request_too_large", message: "Too large" } }), "context_full")
  })

  it("is told from its beginning, however long it is", () => {
    const long = "thinking signature_".repeat(100_000)
    assert.isUndefined(answer(400, { error: { message: `${" ".repeat(1_000)}${long} prompt is too long` } }))
  })
})
