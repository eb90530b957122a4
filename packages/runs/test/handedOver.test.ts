/** Events and results that cannot be taken fail the run of their recipe, at once, and no other run waits for that. */
import type { WorkspaceCaller } from "@agent-platform/kernel"
import { type Recipe, type Run, Runs, startRunWorker, type Turn, type TurnOutcome } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, type Schema } from "effect"
import { TestClock } from "effect/testing"
import { aStoredAgent, memory, soon, trigger } from "./support.ts"

const nested = (levels: number): Schema.Json => JSON.parse("[".repeat(levels) + "]".repeat(levels))

const done = (result: Schema.Json): TurnOutcome => ({ _tag: "Succeeded", result, message: null })

const recipe = (name: string, execute: (turn: Turn) => Effect.Effect<TurnOutcome>): Recipe => ({ name, execute })

const logOf = (caller: WorkspaceCaller, run: Run) =>
  Effect.map(
    Runs.use((runs) => runs.readRunLog({ caller, runId: run.id, after: 0, limit: 500 })),
    ({ items }) => items
  )

const strange: ReadonlyArray<readonly [string, Recipe["execute"], Partial<Run>]> = [
  [
    "a result that is nested too deep",
    () => Effect.succeed(done(nested(6_000))),
    { errorCode: "agent_error", error: "The result is nested deeper than 100 levels" }
  ],
  [
    "an interrupt that is nested too deep",
    () => Effect.succeed({ _tag: "Paused", message: "?", interrupt: nested(6_000) }),
    { errorCode: "agent_error", error: "The interrupt is nested deeper than 100 levels" }
  ],
  [
    "an event that is nested too deep",
    ({ emit }) => Effect.andThen(emit("log", { message: "m", more: nested(6_000) }), Effect.never),
    { errorCode: "agent_error", error: "An event of the run's log is nested deeper than 100 levels" }
  ],
  [
    "an event that is nested too deep, and a result right behind it",
    ({ emit }) => Effect.as(emit("log", { message: "m", more: nested(101) }), done(1)),
    { errorCode: "agent_error", error: "An event of the run's log is nested deeper than 100 levels" }
  ],
  [
    "a checkpoint that is nested too deep",
    ({ checkpoint }) => Effect.andThen(checkpoint.save(nested(6_000)), Effect.never),
    { errorCode: "agent_error", error: "The run's checkpoint is nested deeper than 200 levels" }
  ],
  [
    "a checkpoint that is too large",
    ({ checkpoint }) => Effect.andThen(checkpoint.save("x".repeat(9 * 1024 * 1024)), Effect.never),
    { errorCode: "output_too_large", error: "The run's checkpoint is larger than 8388608 bytes" }
  ],
  [
    "a result that is no JSON",
    () => Effect.succeed(done(1n as never)),
    { errorCode: "internal_error", error: "The recipe failed unexpectedly" }
  ],
  ["no outcome at all", () => Effect.succeed(undefined as never), { errorCode: "internal_error" }]
]

describe("a run whose recipe hands over", () => {
  for (const [what, execute, becomes] of strange) {
    it.effect(`${what} fails at once, and keeps no other run waiting`, () =>
      Effect.gen(function* () {
        const seen = yield* Deferred.make<void>()
        yield* Effect.gen(function* () {
          yield* startRunWorker()
          const bad = yield* aStoredAgent({ recipe: "strange" })
          const first = yield* trigger(bad)
          yield* TestClock.adjust("20 millis")
          yield* Deferred.await(seen)
          const good = yield* trigger(yield* aStoredAgent(), { input: { steps: [{ say: "hi" }, { return: 42 }] } })
          assert.deepInclude(yield* soon(good), { status: "succeeded", result: 42 })
          const after = yield* soon(first)
          assert.deepInclude(after, { status: "failed", ...becomes })
          assert.strictEqual((yield* logOf(bad.caller, first)).at(-1)?.type, "run.failed")
        }).pipe(
          Effect.provide(
            memory(recipe("strange", (turn) => Effect.andThen(Deferred.succeed(seen, undefined), execute(turn))))
          )
        )
      }).pipe(Effect.scoped)
    )
  }

  it.effect("JSON of a hundred levels is a run like any other", () =>
    Effect.gen(function* () {
      yield* startRunWorker()
      const run = yield* trigger(yield* aStoredAgent({ recipe: "deep" }))
      assert.deepInclude(yield* soon(run), { status: "succeeded", result: nested(100) })
    }).pipe(
      Effect.scoped,
      Effect.provide(
        memory(
          recipe("deep", ({ checkpoint, emit }) =>
            Effect.gen(function* () {
              yield* emit("log", { message: "m", more: nested(99) })
              yield* checkpoint.save(nested(200))
              return done(nested(100))
            })
          )
        )
      )
    )
  )
})
