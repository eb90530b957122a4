/** How calls of each model end that do not go well, and what is done about it. */
import { ProviderKeyStore } from "@agent-platform/keys"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { type Answer, json } from "../ScriptedServer.ts"
import { ended, trigger } from "../support.ts"
import { imageAt, type Proof } from "./requests.ts"
import { anotherKey, given, REASONING, TOO_LONG, textOf, UNREADABLE } from "./subject.ts"
import type { Feature } from "./table.ts"

const TOOLS = { tools: ["http_request"] }
const LIMITED_SECONDS = 45

/** A limit, in the words of nobody in particular: the status and the header are the same everywhere. */
const limited = json(
  429,
  { error: { message: "Slow down", type: "rate_limit_error" }, message: "Slow down" },
  { "retry-after": String(LIMITED_SECONDS) }
)

const gone: Answer = (response) => void response.writeHead(404, { "content-type": "text/html" }).end("<p>")

export const ENDINGS = {
  abort: Effect.fnUntraced(function* (subject) {
    const { anAgent, caller, cancel, server, spend, wire } = yield* given(subject)
    server.script(wire.hanging({ text: ["I am thi", "nking "] }))
    const run = yield* trigger(caller, yield* anAgent({}))
    yield* server.until((asked) => asked.length === 1)
    yield* cancel(run.sessionId)
    assert.strictEqual((yield* ended(caller, run.id)).status, "cancelled")
    yield* server.until((asked) => asked[0]?.gaveUp === true)
    const [recorded] = spend.calls
    assert.strictEqual(recorded?.settlements, 1)
    assert.deepInclude(recorded?.end, { status: "aborted", sent: true, usage: undefined, errorCode: null })
    const seen = recorded?.end?.seen
    // By two bytes a token, and what it may have thought unseen meanwhile.
    const unseen = Math.ceil((recorded?.end?.durationMillis ?? 0) / 5)
    assert.isAtMost(seen?.outputTokensMax ?? 0, 7 + unseen)
    assert.isAtLeast(seen?.outputTokensMax ?? 0, unseen)
    // Anthropic counts its input first; the others at the end, which did not come.
    assert.isTrue(seen?.inputTokensMax === undefined || seen.inputTokensMax === 40)
  }),

  limit: Effect.fnUntraced(function* (subject) {
    const { anAgent, caller, key, turn, wire } = yield* given(subject)
    yield* anotherKey(subject, caller)
    const before = yield* DateTime.now
    const { asked, run } = yield* turn(yield* anAgent({}), [limited, wire.whole({ text: "Here." })])
    assert.deepInclude(run, { status: "succeeded", message: "Here." })
    assert.strictEqual(asked.length, 2)
    const kept = yield* ProviderKeyStore.use((store) => store.find(key.workspaceId, key.id))
    assert.strictEqual(kept?.status, "rate_limited")
    const seconds = (DateTime.toEpochMillis(kept?.limitedUntil ?? before) - DateTime.toEpochMillis(before)) / 1_000
    assert.isAtLeast(seconds, LIMITED_SECONDS)
    assert.isBelow(seconds, LIMITED_SECONDS + 10)
  }),

  cut: Effect.fnUntraced(function* (subject) {
    const { run, spend, wire } = yield* given(subject)
    const answers = [wire.broken({ text: "Half " }), wire.whole({ text: "Whole." })]
    const { run: after } = yield* run({}, answers)
    assert.deepInclude(after, { status: "succeeded", message: "Whole." })
    assert.deepStrictEqual(
      spend.calls.map(({ end }) => [end?.status, end?.usage === undefined]),
      [
        ["error", true],
        ["ok", false]
      ]
    )
  }),

  full: Effect.fnUntraced(function* (subject) {
    const { anAgent, spend, turn, wire } = yield* given(subject)
    const agent = yield* anAgent({})
    const first = yield* turn(agent, [wire.whole({ text: "The first answer." })])
    const { sessionId } = first.run
    const tooLong = TOO_LONG[subject]
    const second = yield* turn(agent, [tooLong, wire.whole({ text: "The second." })], {
      sessionId,
      prompt: "And then?"
    })
    assert.deepInclude(second.run, { status: "succeeded", message: "The second." })
    const shown = second.asked.map(({ text }) => [text.includes("The first answer."), text.includes("And then?")])
    assert.deepStrictEqual(shown, [
      [true, true],
      [false, true]
    ])
    assert.match(textOf(second.log, "log"), /asked again with a shorter conversation: /)
    // A request that is refused costs nothing.
    assert.deepInclude(spend.calls[1]?.end, { status: "error", sent: false })
    const third = yield* turn(agent, [wire.whole({ text: "The third." })], { sessionId, prompt: "And now?" })
    assert.notInclude(third.asked[0]?.text, "The first answer.")
    assert.include(third.asked[0]?.text, "The second.")
    const fourth = yield* turn(agent, [tooLong], { sessionId, prompt: "At last?" })
    assert.deepInclude(fourth.run, { status: "failed", errorCode: "provider_error" })
    assert.strictEqual(fourth.asked.length, 2)
  }),

  deadAddress: Effect.fnUntraced(function* (subject, cell) {
    const { anAgent, server, turn, wire } = yield* given(subject)
    const agent = yield* anAgent({})
    const isTheirs = cell === "yes"
    const says = wire.whole({ text: "Seen" })
    const refused = UNREADABLE[subject]
    const content = [imageAt(server.url)]
    const dot: ReadonlyArray<Answer> = isTheirs
      ? []
      : [(response) => void response.writeHead(200, { "content-type": "image/png" }).end("dot")]
    const first = yield* turn(agent, [...dot, says], { content })
    assert.strictEqual(first.run.status, "succeeded")
    const { sessionId } = first.run
    const refusal = refused === undefined ? [] : [refused]
    const second = yield* turn(agent, [...refusal, gone, says], { sessionId, prompt: "And now?" })
    assert.deepInclude(second.run, { status: "succeeded", message: "Seen" })
    assert.include(second.asked.at(-1)?.text, "could not be read any more")
    // From then on nobody is asked in vain.
    const third = yield* turn(agent, [gone, says], { sessionId, prompt: "And now?" })
    assert.deepInclude(third.run, { status: "succeeded", message: "Seen" })
    assert.deepStrictEqual(
      third.asked.map(({ method }) => method),
      ["GET", "POST"]
    )
    // An address that is sent now and cannot be read fails its run.
    const fourth = yield* turn(agent, [...refusal, gone], { content })
    assert.deepInclude(fourth.run, { status: "failed", errorCode: "invalid_input" })
    assert.match(fourth.run.error ?? "", /could not be read: it answered 404/)
  }),

  refusedReasoning: Effect.fnUntraced(function* (subject, cell) {
    const { anAgent, turn, wire } = yield* given(subject)
    const effort = subject === "bedrock, Nova 2" ? "medium" : "high"
    const agent = yield* anAgent(subject === "bedrock, others" ? {} : { reasoningEffort: effort }, TOOLS)
    const first = yield* turn(agent, [wire.whole({ reasoning: "Hm.", text: "One." })])
    const { sessionId } = first.run
    const [refused, shown] = REASONING[subject] ?? []
    if (cell === "none is checked" || refused === undefined || shown === undefined) {
      const second = yield* turn(agent, [wire.whole({ text: "Two." })], { sessionId })
      if (subject === "openai_compatible") return assert.notMatch(second.asked[0]?.text ?? "", /signature|encrypted/)
      return assert.include(second.asked[0]?.text, "One.")
    }
    const second = yield* turn(agent, [refused, wire.whole({ text: "Two." })], { sessionId })
    assert.deepInclude(second.run, { status: "succeeded", message: "Two." })
    assert.deepStrictEqual(
      second.asked.map(({ text }) => [text.includes(shown), text.includes("One.")]),
      [
        [true, true],
        [false, true]
      ]
    )
    assert.match(textOf(second.log, "log"), /asked again without its earlier reasoning: /)
  })
} satisfies Partial<Record<Feature, Proof>>
