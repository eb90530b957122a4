/** The outcome of a call when its run is cancelled, times out or goes silent. */
import { Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerAdmitting } from "../layerAdmitting.ts"
import { RecordedSpend } from "./RecordedSpend.ts"
import { ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, layerWith, logOf, trigger } from "./support.ts"
import { says, saysAndHangs } from "./wire.ts"

const given = Effect.fnUntraced(function* () {
  const caller = yield* founded()
  yield* aKey(caller)
  const agent = yield* aChatAgent(caller)
  yield* startRunWorker({ drainSeconds: 0, graceSeconds: 1 })
  return { caller, agent, server: yield* ScriptedServer, spend: yield* RecordedSpend }
})

const hanging = saysAndHangs("I am thi", "nking ")

describe("an agent that chats", () => {
  it.live(
    "stops its provider when its session is cancelled, makes no further call, and has the call accounted for",
    () =>
      Effect.gen(function* () {
        const { agent, caller, server, spend } = yield* given()
        server.script(hanging)
        const run = yield* trigger(caller, agent)
        yield* server.until((asked) => asked.length === 1)
        const { sessionId } = run
        yield* Runs.use((runs) => runs.cancelSession({ caller, sessionId, reason: null, mode: "graceful" }))
        assert.strictEqual((yield* ended(caller, run.id)).status, "cancelled")
        yield* server.until((asked) => asked[0]?.gaveUp === true)
        assert.strictEqual(spend.calls.length, 1)
        assert.strictEqual(spend.calls[0]?.settlements, 1)
        const end = spend.calls[0]?.end
        assert.deepInclude(end, { status: "aborted", sent: true, usage: undefined, errorCode: null })
        // "I am thinking ", by two bytes a token where it had come by then, and what the model may have thought meanwhile.
        const heard = end?.timeToFirstTokenMillis == null ? 0 : 7
        const unseen = Math.ceil((end?.durationMillis ?? 0) / 5)
        assert.deepStrictEqual(end?.seen, { inputTokensMax: undefined, outputTokensMax: heard + unseen })
        const logged = (yield* logOf(caller, run.id)).find(({ type }) => type === "llm.request")
        assert.deepInclude(logged?.data, { status: "aborted", cost_usd: "0.01", input_tokens: null })
        // The next request belongs to the next run.
        server.script(says("Next."))
        yield* ended(caller, (yield* trigger(caller, agent, { prompt: "Next, please" })).id)
        assert.deepStrictEqual(
          server.asked.map(({ text }) => text.includes("Next, please")),
          [false, true]
        )
      }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("gives back what was held for a call that was not made yet when its session is cancelled", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      spend.hold()
      const run = yield* trigger(caller, agent)
      yield* server.until(() => spend.calls.length === 1)
      const { sessionId } = run
      yield* Runs.use((runs) => runs.cancelSession({ caller, sessionId, reason: null, mode: "graceful" }))
      assert.strictEqual((yield* ended(caller, run.id)).status, "cancelled")
      assert.deepInclude(spend.calls[0]?.end, { status: "aborted", sent: false, usage: undefined })
      assert.isEmpty(server.asked)
      assert.isFalse((yield* logOf(caller, run.id)).some(({ type }) => type === "llm.request"))
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("stops its provider when its run has lasted as long as it may", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      server.script(hanging)
      const run = yield* trigger(caller, agent, { maxDurationSeconds: 1 })
      assert.strictEqual((yield* ended(caller, run.id)).errorCode, "timed_out")
      yield* server.until((asked) => asked[0]?.gaveUp === true)
      assert.deepInclude(spend.calls[0]?.end, { status: "aborted", sent: true })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("times out on a model that does not begin, and on one that falls silent, and asks again", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      server.script(saysAndHangs(), saysAndHangs("Well, "), says("Here I am."))
      assert.deepInclude(yield* ended(caller, (yield* trigger(caller, agent)).id), {
        status: "succeeded",
        message: "Here I am."
      })
      assert.deepStrictEqual(
        spend.calls.map(({ end }) => [end?.status, end?.errorCode, end?.sent]),
        [
          ["error", "timeout", true],
          ["error", "timeout", true],
          ["ok", null, true]
        ]
      )
      yield* server.until((asked) => asked[0]?.gaveUp === true && asked[1]?.gaveUp === true)
    }).pipe(Effect.scoped, Effect.provide(layerWith({ firstMillis: 300, nextMillis: 200 })))
  )

  it.live("reaches no model on loopback where only other purposes are admitted there", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      server.script(says("Here."))
      const after = yield* ended(caller, (yield* trigger(caller, agent)).id)
      assert.deepInclude(after, { status: "failed", errorCode: "provider_error" })
      assert.isEmpty(server.asked)
      assert.isTrue(spend.calls.every(({ end }) => end?.sent === false))
    }).pipe(Effect.scoped, Effect.provide(layerWith(undefined, layerAdmitting("webhooks", "agents", "tools", "mcp"))))
  )
})
