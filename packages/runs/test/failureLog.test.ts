/** The log lines of runs that failed. docs/operations.md, Logs. */
import { ProcessName, UnitOfWork } from "@agent-platform/kernel"
import { RunSettlement, recoverRuns, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import { claimInWorkspaceOf } from "../src/testing/givenRuns.ts"
import { aStoredAgent, ended, memory, trigger } from "./support.ts"

/** The lines about failed runs, with what they say beside their text. */
const failures = () => {
  const lines: Array<Readonly<Record<string, unknown>>> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    if (!String(message).startsWith("A run failed")) return
    lines.push({ level: logLevel, message: String(message), ...fiber.getRef(References.CurrentLogAnnotations) })
  })
  return { lines, layer: Logger.layer([logger]) }
}

const named = Effect.provideService(ProcessName, "worker host 7")

describe("a run that fails", () => {
  it.live("has one line in the log, without a word of its agent or caller, and one that succeeds has none", () => {
    const { layer, lines } = failures()
    return Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent()
      const good = yield* trigger(of, { input: { steps: [{ return: 1 }] } })
      const bad = yield* trigger(of, { input: { steps: [{ fail: "a word of the agent's" }] } })
      yield* ended(of.caller, good.id)
      yield* ended(of.caller, bad.id)
      while (lines.length === 0) yield* Effect.sleep("5 millis")
      assert.deepStrictEqual(lines, [
        {
          level: "Info",
          message: "A run failed: agent_error",
          run_id: bad.id,
          workspace_id: of.caller.workspaceId,
          error_code: "agent_error",
          attempt: 1,
          worker_id: "worker host 7"
        }
      ])
    }).pipe(named, Effect.provide(layer), Effect.scoped, Effect.provide(memory()))
  })

  it.live("has one line although its transaction is undone and repeated", () => {
    const { layer, lines } = failures()
    return Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const bad = yield* trigger(of, { input: { steps: [{ fail: "no" }] } })
      const unit = yield* UnitOfWork
      const settlement = yield* RunSettlement
      let settlements = 0
      let undone = 0
      const settle: typeof settlement.settle = (all) =>
        Effect.tap(settlement.settle(all), () => Effect.sync(() => settlements++))
      const refusing = UnitOfWork.of({
        atomic: (effect) =>
          unit.atomic(
            Effect.tap(effect, () =>
              settlements === 1 && undone++ === 0 ? Effect.die(new Error("The store refuses")) : Effect.void
            )
          )
      })
      yield* startRunWorker().pipe(
        Effect.provideService(UnitOfWork, refusing),
        Effect.provideService(RunSettlement, { ...settlement, settle })
      )
      yield* ended(of.caller, bad.id)
      while (lines.length === 0) yield* Effect.sleep("5 millis")
      assert.isAbove(undone, 0)
      assert.strictEqual(settlements, 2)
      assert.lengthOf(lines, 1)
    }).pipe(named, Effect.provide(layer), Effect.scoped, Effect.provide(memory()))
  })

  it.live("because its worker is gone has one as well, which is a warning", () => {
    const { layer, lines } = failures()
    return Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const run = yield* trigger(of)
      // A worker that claimed the run and was killed: its lease is over before it began.
      yield* claimInWorkspaceOf(run, { leaseSeconds: 0 })
      yield* recoverRuns()
      assert.deepInclude(lines, {
        level: "Warn",
        message: "A run failed: worker_lost",
        run_id: run.id,
        workspace_id: of.caller.workspaceId,
        error_code: "worker_lost",
        attempt: 1,
        worker_id: "worker host 7"
      })
    }).pipe(named, Effect.provide(layer), Effect.scoped, Effect.provide(memory()))
  })
})
