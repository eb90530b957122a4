/** Reasoning that a provider cannot read any more does not break its session. */
import { type Run, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, json, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, logOf, trigger } from "./support.ts"
import { answerOf } from "./wires.ts"

const says = answerOf.openai
const refused = json(400, {
  error: {
    type: "invalid_request_error",
    code: "invalid_encrypted_content",
    message: "The encrypted content could not be verified"
  }
})

const given = Effect.fnUntraced(function* () {
  const caller = yield* founded()
  yield* aKey(caller, { provider: "openai" })
  const modelSettings = { reasoningEffort: "high" } as const
  // To a model without tools earlier turns are their words alone.
  const agent = yield* aChatAgent(caller, { model: "openai/gpt-5", modelSettings, tools: ["http_request"] })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  /** A turn, and which of its requests showed reasoning of earlier answers. */
  const turn = Effect.fnUntraced(function* (session: Pick<Run, "sessionId"> | undefined, ...answers: Array<Answer>) {
    const from = server.asked.length
    server.script(...answers)
    const made = yield* trigger(caller, agent, { prompt: "Go on", sessionId: session?.sessionId })
    const run = yield* ended(caller, made.id)
    const shown = server.asked.slice(from).map(({ text }) => text.includes('"encrypted_content":"e"'))
    return { run, shown }
  })
  return { caller, server, turn }
})

describe("reasoning that its provider refuses", () => {
  it.live("is left out when the model is asked once more, and from then on", () =>
    Effect.gen(function* () {
      const { caller, server, turn } = yield* given()
      const first = yield* turn(undefined, says({ reasoning: "Hm.", text: "One." }))
      const kept = yield* turn(first.run, says({ text: "Two." }))
      assert.deepStrictEqual(kept.shown, [true])
      const third = yield* turn(first.run, refused, says({ text: "Three." }))
      assert.deepInclude(third.run, { status: "succeeded", message: "Three." })
      assert.deepStrictEqual(third.shown, [true, false])
      assert.include(server.asked.at(-1)?.text, "One.")
      const log = yield* logOf(caller, third.run.id)
      const said = log.filter(({ type }) => type === "log").map(({ data }) => String(data["message"]))
      assert.strictEqual(said.length, 1)
      assert.match(said[0] ?? "", /without its earlier reasoning: .*invalid_encrypted_content/)
      const fourth = yield* turn(first.run, says({ text: "Four." }))
      assert.deepStrictEqual(fourth.shown, [false])
      assert.include(server.asked.at(-1)?.text, "Three.")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("fails the turn where it is refused again", () =>
    Effect.gen(function* () {
      const { turn } = yield* given()
      const first = yield* turn(undefined, says({ reasoning: "Hm.", text: "One." }))
      const second = yield* turn(first.run, refused, refused)
      assert.deepInclude(second.run, { status: "failed", errorCode: "provider_error" })
      assert.deepStrictEqual(second.shown, [true, false])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
