import { demo, type RunEventType, type TurnOutcome } from "@agent-platform/runs"
import { anAgent, aRun, aSession, NO_CHECKPOINT } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Schema } from "effect"
import { TestClock } from "effect/testing"

const play = (input: Schema.Json, prompt: string | null = null) =>
  Effect.gen(function* () {
    const agent = anAgent()
    const events: Array<readonly [RunEventType, unknown]> = []
    const outcome: TurnOutcome = yield* demo.execute({
      run: aRun(agent, aSession(agent), { input, prompt }),
      agent,
      emit: (type, data) => Effect.sync(() => void events.push([type, data])),
      checkpoint: NO_CHECKPOINT
    })
    return { outcome, events }
  })

describe("the demo recipe", () => {
  it.effect("answers the message when it is given no steps", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* play({}, "Good morning")
      assert.deepStrictEqual(outcome, {
        _tag: "Succeeded",
        result: "You said: Good morning",
        message: "You said: Good morning"
      })
      const deltas = events
        .filter(([type]) => type === "message.delta")
        .map(([, data]) => (data as { text: string }).text)
      assert.strictEqual(deltas.join(""), "You said: Good morning")
      assert.deepStrictEqual(events.at(-1), ["message.completed", { text: "You said: Good morning" }])
    })
  )

  it.effect("plays steps in order and ends with what was said", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* play({ steps: [{ say: "one " }, { sleep_ms: 0 }, { say: "two" }] })
      assert.deepStrictEqual(outcome, { _tag: "Succeeded", result: "one two", message: "one two" })
      assert.deepStrictEqual(events, [
        ["message.delta", { text: "one " }],
        ["message.delta", { text: "two" }],
        ["message.completed", { text: "one two" }]
      ])
    })
  )

  it.effect("returns any value", () =>
    Effect.gen(function* () {
      const { outcome } = yield* play({
        steps: [{ say: "done" }, { return: { total: [1, null] } }, { say: "unheard" }]
      })
      assert.deepStrictEqual(outcome, { _tag: "Succeeded", result: { total: [1, null] }, message: "done" })
    })
  )

  it.effect("pauses on a question with its payload", () =>
    Effect.gen(function* () {
      const { outcome } = yield* play({ steps: [{ ask: "Shall I?", interrupt: { amount: "3.00" } }] })
      assert.deepStrictEqual(outcome, { _tag: "Paused", message: "Shall I?", interrupt: { amount: "3.00" } })
    })
  )

  it.effect("fails on demand", () =>
    Effect.gen(function* () {
      const { outcome } = yield* play({ steps: [{ fail: "no luck" }] })
      assert.deepStrictEqual(outcome, { _tag: "Failed", errorCode: "agent_error", error: "no luck" })
    })
  )

  it.effect("sleeps for as long as it is told, and no longer once interrupted", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(play({ steps: [{ sleep_ms: 60_000 }, { return: 1 }] }))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).outcome._tag, "Succeeded")
      const other = yield* Effect.forkChild(play({ steps: [{ sleep_ms: 60_000 }] }))
      yield* Fiber.interrupt(other)
      assert.isDefined(other.pollUnsafe())
    })
  )

  for (const steps of [{}, [{ shout: "x" }], [{ sleep_ms: -1 }], [{ say: "a", fail: "b" }], "say"]) {
    it.effect(`refuses the steps ${JSON.stringify(steps)} as invalid input`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* play({ steps })
        assert.deepInclude(outcome, { _tag: "Failed", errorCode: "invalid_input" })
      })
    )
  }
})
