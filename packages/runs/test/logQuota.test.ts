/** How much the log of a run may hold. */
import { atomic } from "@agent-platform/kernel"
import { type Recipe, RunLog, startRunWorker, type Turn, type TurnOutcome } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { claimInWorkspaceOf } from "../src/testing/givenRuns.ts"
import { aStoredAgent, memory, soon, trigger } from "./support.ts"

const recipe = (name: string, execute: Recipe["execute"]): Recipe => ({ name, execute })

describe("the log of a run", () => {
  const talks = (turn: Turn) =>
    Effect.as(turn.emit("log", { message: "x".repeat(600) }), {
      _tag: "Succeeded",
      result: "done",
      message: null
    } satisfies TurnOutcome)

  it.effect("holds so many bytes, and fails the run that would log more, which is its last event", () =>
    Effect.gen(function* () {
      yield* startRunWorker({ logBytesMax: 2_000 })
      const of = yield* aStoredAgent({ recipe: "endless" })
      const run = yield* trigger(of)
      const error = "The run's log is larger than 2000 bytes"
      assert.deepInclude(yield* soon(run), { status: "failed", errorCode: "output_too_large", error })
      assert.deepStrictEqual(
        (yield* RunLog.use((log) => log.read(run.id, { after: 0, limit: 100 }))).map(({ type }) => type),
        ["run.queued", "run.started", "log", "log", "log", "run.failed"]
      )
    }).pipe(
      Effect.scoped,
      Effect.provide(memory(recipe("endless", ({ emit }) => Effect.forever(emit("log", { message: "x".repeat(600) })))))
    )
  )

  it.effect("counts what earlier attempts wrote", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent({ recipe: "talk" })
      const run = yield* trigger(of, { maxAttempts: 2 })
      const [lost] = yield* claimInWorkspaceOf(run, { leaseSeconds: 0 })
      const event = { type: "log", createdAt: run.createdAt, attempt: 1, data: { message: "x".repeat(600) } } as const
      yield* atomic(RunLog.use((log) => log.append([{ runId: run.id, claimToken: lost!.claimToken, events: [event] }])))
      yield* startRunWorker({ logBytesMax: 1_000, recoverSeconds: 0.01 })
      assert.deepInclude(yield* soon(run), { status: "failed", errorCode: "output_too_large", attempt: 2 })
      const alone = yield* trigger(of, { maxAttempts: 2 })
      assert.deepInclude(yield* soon(alone), { status: "succeeded", result: "done" })
    }).pipe(Effect.scoped, Effect.provide(memory(recipe("talk", talks))))
  )

  it.effect("counts what was written before a worker handed the run back", () => {
    let executions = 0
    const hangs = recipe("hang", (turn) =>
      Effect.flatMap(talks(turn), (outcome) => (executions++ === 0 ? Effect.never : Effect.succeed(outcome)))
    )
    return Effect.gen(function* () {
      const run = yield* trigger(yield* aStoredAgent({ recipe: "hang" }))
      const worker = yield* Scope.make()
      yield* Scope.provide(startRunWorker({ drainSeconds: 0 }), worker)
      yield* TestClock.adjust("2 seconds")
      const closing = yield* Effect.forkChild(Scope.close(worker, Exit.void))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      yield* startRunWorker({ logBytesMax: 1_000 })
      assert.deepInclude(yield* soon(run), { status: "failed", errorCode: "output_too_large", attempt: 2 })
      assert.strictEqual(executions, 1)
    }).pipe(Effect.scoped, Effect.provide(memory(hangs)))
  })
})
