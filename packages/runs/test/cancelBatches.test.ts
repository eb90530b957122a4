/** A cancellation of more runs than one transaction ends. */
import { type Run, RunReader, Runs } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { claimInWorkspaceOf } from "../src/testing/givenRuns.ts"
import { brokenRuns } from "./runFault.ts"
import { aStoredAgent, layerRecipes, trigger } from "./support.ts"

/** The domain over a store in which only so many settlements succeed until it is repaired. */
const failing = (capacity: { left: number }) =>
  Runs.layer.pipe(
    Layer.provideMerge(layerRecipes()),
    Layer.provideMerge(
      brokenRuns((store) => ({
        settle: (...given) => (capacity.left-- > 0 ? store.settle(...given) : Effect.die("the database is away"))
      }))
    ),
    Layer.fresh
  )

const statuses = Effect.fnUntraced(function* (runs: ReadonlyArray<Run>) {
  const store = yield* RunReader
  const found = yield* Effect.forEach(runs, ({ id, workspaceId }) => store.find(workspaceId, id))
  return found.map((run) => (run?.cancelRequestedAt == null || run.status === "cancelled" ? run?.status : "marked"))
})

const times = <const A>(count: number, value: A) => Array.from({ length: count }, () => value)

describe("a cancellation of hundreds of runs", () => {
  for (const isRunning of [true, false]) {
    const head = isRunning ? "one that executes" : "one that waits"
    it.live(`keeps what it has done when it dies, starts nothing behind ${head}, and is finished by another`, () => {
      const capacity = { left: 1 }
      return Effect.gen(function* () {
        const runs = yield* Runs
        const of = yield* aStoredAgent()
        const first = yield* trigger(of)
        const { sessionId } = first
        if (isRunning) yield* claimInWorkspaceOf(first)
        const rest = yield* Effect.forEach(times(449, sessionId), (joined) => trigger(of, { sessionId: joined }))
        const line = [first, ...rest]
        const cancel = runs.cancelSession({ caller: of.caller, sessionId, mode: "graceful", reason: null })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(cancel)))
        const waiting = isRunning ? "running" : "queued"
        const kept = [...times(1, waiting), ...times(249, "queued"), ...times(200, "cancelled")]
        assert.deepStrictEqual(yield* statuses(line), kept)
        capacity.left = Infinity
        const done = yield* cancel
        const cancelled = line.slice(isRunning ? 1 : 0, 250)
        assert.deepStrictEqual(
          [done.cancelled, done.requested].map((some) => some.map(({ id }) => id)),
          [cancelled.map(({ id }) => id), isRunning ? [first.id] : []]
        )
        const after = [...times(1, isRunning ? "marked" : "cancelled"), ...times(449, "cancelled")]
        assert.deepStrictEqual(yield* statuses(line), after)
      }).pipe(Effect.provide(failing(capacity)))
    })
  }
})
