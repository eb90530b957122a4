import { layer as kernel } from "@agent-platform/kernel/memory"
import {
  type DemoMode,
  type ModelCall,
  type ModelCallEnd,
  makeDemo,
  makeRedactor,
  type RunEventType,
  type RunTrigger,
  SpendGuard,
  SpendRefused,
  type TurnCheckpoint,
  type TurnOutcome
} from "@agent-platform/runs"
import { anAgent, aRun, aSession, NO_CHECKPOINT } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Schema } from "effect"
import { TestClock } from "effect/testing"

interface Given {
  readonly mode?: DemoMode
  readonly trigger?: RunTrigger
  readonly checkpoint?: TurnCheckpoint
}

const execute = (
  input: Schema.Json,
  prompt: string | null = null,
  guard: Layer.Layer<SpendGuard> = SpendGuard.layerUnmetered,
  { checkpoint = NO_CHECKPOINT, mode = "full", trigger }: Given = {}
) =>
  Effect.gen(function* () {
    const agent = anAgent()
    const demo = yield* Effect.provide(makeDemo(mode), Layer.provideMerge(guard, kernel))
    const events: Array<readonly [RunEventType, unknown]> = []
    const outcome: TurnOutcome = yield* demo.execute({
      run: aRun(agent, aSession(agent), { input, prompt, ...(trigger === undefined ? {} : { trigger }) }),
      agent,
      emit: (type, data) => Effect.sync(() => void events.push([type, data])),
      checkpoint,
      redactor: makeRedactor()
    })
    return { outcome, events }
  })

describe("the demo recipe", () => {
  it.effect("answers the message when it is given no steps", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* execute({}, "Good morning")
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

  it.effect("executes steps in order and ends with what was said", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* execute({ steps: [{ say: "one " }, { sleep_ms: 0 }, { say: "two" }] })
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
      const { outcome } = yield* execute({
        steps: [{ say: "done" }, { return: { total: [1, null] } }, { say: "unsaid" }]
      })
      assert.deepStrictEqual(outcome, { _tag: "Succeeded", result: { total: [1, null] }, message: "done" })
    })
  )

  it.effect("goes on behind its question when that is answered, and answers a reply with nothing behind it", () =>
    Effect.gen(function* () {
      let asked: Schema.Json | undefined
      const turn = (ofQuestion: Schema.Json | undefined): Given => ({
        checkpoint: {
          ...NO_CHECKPOINT,
          ofQuestion: Effect.succeed(ofQuestion),
          save: (state) =>
            Effect.sync(() => {
              asked = state
            })
        }
      })
      const steps = [{ say: "one" }, { ask: "Go on?" }, { say: "two" }, { ask: "Really?" }]
      const first = yield* execute({ steps }, null, undefined, turn(undefined))
      assert.deepInclude(first.outcome, { _tag: "Paused", message: "Go on?" })
      const second = yield* execute({ decision: "approve", data: null }, "Yes", undefined, turn(asked))
      assert.deepStrictEqual(second.events[0], ["message.delta", { text: "two" }])
      assert.deepInclude(second.outcome, { _tag: "Paused", message: "Really?" })
      const third = yield* execute(null, "Yes", undefined, turn(undefined))
      assert.deepInclude(third.outcome, { _tag: "Succeeded", message: "You said: Yes" })
    })
  )

  it.effect("pauses on a question with its payload", () =>
    Effect.gen(function* () {
      const { outcome } = yield* execute({ steps: [{ ask: "Shall I?", interrupt: { amount: "3.00" } }] })
      assert.deepStrictEqual(outcome, { _tag: "Paused", message: "Shall I?", interrupt: { amount: "3.00" } })
    })
  )

  it.effect("fails on demand", () =>
    Effect.gen(function* () {
      const { outcome } = yield* execute({ steps: [{ fail: "no luck" }] })
      assert.deepStrictEqual(outcome, { _tag: "Failed", errorCode: "agent_error", error: "no luck" })
    })
  )

  it.effect("sleeps for as long as its step says, and no longer once interrupted", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(execute({ steps: [{ sleep_ms: 60_000 }, { return: 1 }] }))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).outcome._tag, "Succeeded")
      const other = yield* Effect.forkChild(execute({ steps: [{ sleep_ms: 60_000 }] }))
      yield* Fiber.interrupt(other)
      assert.isDefined(other.pollUnsafe())
    })
  )

  it.effect("sleeps for a second at most in the mode safe, whatever the number of its steps", () =>
    Effect.gen(function* () {
      const half = { sleep_ms: 500 }
      for (const steps of [[{ sleep_ms: 1_001 }], [half, { say: "hi" }, half, { sleep_ms: 1 }]]) {
        const { outcome } = yield* execute({ steps }, null, undefined, { mode: "safe" })
        assert.deepInclude(outcome, { _tag: "Failed", errorCode: "invalid_input" })
      }
      const fiber = yield* Effect.forkChild(execute({ steps: [half, half] }, null, undefined, { mode: "safe" }))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).outcome._tag, "Succeeded")
    })
  )

  describe("the step 'spend'", () => {
    const SPEND = {
      provider: "openai",
      model: "gpt-4o-mini",
      input_tokens: 1_000,
      output_tokens: 100,
      cache_read_tokens: 400
    }

    /** A guard that records its calls, and refuses with the given error. */
    const noting = (refusal?: SpendRefused) => {
      const recorded: Array<readonly [string, ModelCall, ModelCallEnd?]> = []
      const layer = Layer.succeed(SpendGuard, {
        reserve: (call) =>
          Effect.andThen(
            Effect.sync(() => void recorded.push(["reserve", call])),
            refusal === undefined ? Effect.succeed({ outputTokensMax: call.outputTokensMax }) : Effect.fail(refusal)
          ),
        settle: (call, end) =>
          Effect.as(
            Effect.sync(() => void recorded.push(["settle", call, end])),
            { costUsd: "0.00021" }
          )
      })
      return { recorded, layer }
    }

    it.effect("is admitted, settled with its tokens, and reported in the log", () =>
      Effect.gen(function* () {
        const { layer, recorded } = noting()
        const { events, outcome } = yield* execute({ steps: [{ spend: SPEND }, { return: 1 }] }, null, layer)
        assert.deepInclude(outcome, { _tag: "Succeeded", result: 1 })
        assert.deepStrictEqual(
          recorded.map(([what]) => what),
          ["reserve", "settle"]
        )
        const [[, call], [, settled, end]] = recorded as [(typeof recorded)[0], Required<(typeof recorded)[0]>]
        assert.deepInclude(call, { provider: "openai", inputTokensMax: 1_000, outputTokensMax: 100 })
        assert.strictEqual(settled, call)
        assert.deepInclude(end, { status: "ok", sent: true })
        const tokens = { inputTokens: 1_000, cacheReadTokens: 400, cacheWriteTokens: 0, outputTokens: 100 }
        assert.deepStrictEqual(end.usage, { ...tokens, reasoningTokens: 0 })
        assert.deepStrictEqual(
          events.map(([type]) => type),
          ["llm.request"]
        )
        assert.deepInclude(events[0]![1], {
          request_id: call.id,
          provider: "openai",
          request_model: "gpt-4o-mini",
          status: "ok",
          input_tokens: 1_000,
          cache_read_tokens: 400,
          output_tokens: 100,
          usage_source: "provider",
          cost_usd: "0.00021"
        })
      })
    )

    for (const mode of ["safe", "full"] as const) {
      it.effect(`is not executed for an inbound webhook, nor anything before it, in the mode ${mode}`, () =>
        Effect.gen(function* () {
          const { layer, recorded } = noting()
          const trigger = { type: "webhook", id: null } as const
          const input = { steps: [{ say: "hi" }, { spend: SPEND }] }
          const { events, outcome } = yield* execute(input, null, layer, { mode, trigger })
          assert.deepInclude(outcome, { _tag: "Failed", errorCode: "invalid_input" })
          assert.isEmpty([...events, ...recorded])
          const harmless = yield* execute({ steps: [{ say: "hi" }] }, null, layer, { mode, trigger })
          assert.strictEqual(harmless.outcome._tag, "Succeeded")
        })
      )
    }

    it.effect("is not executed in the mode safe", () =>
      Effect.gen(function* () {
        const { layer, recorded } = noting()
        const { outcome } = yield* execute({ steps: [{ spend: SPEND }] }, null, layer, { mode: "safe" })
        assert.deepInclude(outcome, { _tag: "Failed", errorCode: "invalid_input" })
        assert.isEmpty(recorded)
      })
    )

    it.effect("pays for each call under an id of its own", () =>
      Effect.gen(function* () {
        const { layer, recorded } = noting()
        yield* execute({ steps: [{ spend: SPEND }, { spend: SPEND }] }, null, layer)
        assert.strictEqual(new Set(recorded.map(([, { id }]) => id)).size, 2)
      })
    )

    for (const errorCode of ["cap_reached", "model_unpriced"] as const) {
      it.effect(`fails the run with ${errorCode} when it is refused for that, and pays for nothing`, () =>
        Effect.gen(function* () {
          const { layer, recorded } = noting(new SpendRefused({ errorCode, detail: "cap reached" }))
          const { events, outcome } = yield* execute(
            { steps: [{ say: "hi" }, { spend: SPEND }, { return: 1 }] },
            null,
            layer
          )
          assert.deepStrictEqual(outcome, { _tag: "Failed", errorCode, error: "cap reached" })
          assert.deepStrictEqual(
            recorded.map(([what]) => what),
            ["reserve"]
          )
          assert.deepStrictEqual(events.at(-1), ["message.completed", { text: "hi" }])
        })
      )
    }
  })

  const faults: ReadonlyArray<readonly [Schema.Json, RegExp]> = [
    [{ steps: {} }, /^\/steps of the input must be a list$/],
    [
      { steps: [{ say: "a" }, { shout: "x" }] },
      /^\/steps\/1 of the input must be one of \{"say": text\}, .* or \{"return": any JSON\}$/
    ],
    [{ steps: [{ sleep_ms: -1 }] }, /^\/steps\/0 of the input must be one of /],
    [{ steps: [], "a/b": 1 }, /^\/a~1b of the input is not known beside steps$/]
  ]
  for (const [input, said] of faults) {
    it.effect(`says what is wrong in ${JSON.stringify(input)}`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* execute(input)
        assert.match(outcome._tag === "Failed" ? outcome.error : "", said)
      })
    )
  }

  for (const steps of [{}, [{ shout: "x" }], [{ sleep_ms: -1 }], [{ say: "a", fail: "b" }], "say"]) {
    it.effect(`refuses the steps ${JSON.stringify(steps)} as invalid input`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* execute({ steps })
        assert.deepInclude(outcome, { _tag: "Failed", errorCode: "invalid_input" })
      })
    )
  }
})
