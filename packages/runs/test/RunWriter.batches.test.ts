/** How much of a run is in a batch that the runs of a worker share. */
import { UnitOfWork } from "@agent-platform/kernel"
import { CheckpointStore, type Recipe, RunLog, startRunWorker, type Turn } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import { aStoredAgent, memory, soon, trigger } from "./support.ts"

/** The content of each transaction: bytes of events, and states, by run. */
const watched = Effect.fnUntraced(function* () {
  const unit = yield* UnitOfWork
  const log = yield* RunLog
  const checkpoints = yield* CheckpointStore
  const transactions: Array<{ readonly events: Map<string, number>; readonly saved: Set<string> }> = []
  return {
    transactions,
    unit: UnitOfWork.of({
      atomic: (effect) =>
        unit.atomic(
          Effect.suspend(() => {
            transactions.push({ events: new Map(), saved: new Set() })
            return effect
          })
        )
    }),
    log: RunLog.of({
      ...log,
      append: (entries) => {
        for (const { events, runId } of entries) {
          transactions.at(-1)?.events.set(runId, JSON.stringify(events.map(({ data }) => data)).length)
        }
        return log.append(entries)
      }
    }),
    checkpoints: CheckpointStore.of({
      ...checkpoints,
      save: (checkpoint) => {
        transactions.at(-1)?.saved.add(checkpoint.run.id)
        return checkpoints.save(checkpoint)
      }
    })
  }
})

const recipe = (execute: (turn: Turn) => Effect.Effect<void>): Recipe => ({
  name: "much",
  execute: (turn) => Effect.as(execute(turn), { _tag: "Succeeded", result: "done", message: null } as const)
})

/** Executes a run of the recipe beside one that says something every few milliseconds. */
const beside = Effect.fnUntraced(function* () {
  const seen = yield* watched()
  const [of, plain] = [yield* aStoredAgent({ recipe: "much" }), yield* aStoredAgent()]
  const steps = Array.from({ length: 40 }, () => [{ say: "x" }, { sleep_ms: 1 }]).flat()
  const [much, little] = [yield* trigger(of), yield* trigger(plain, { input: { steps } })]
  yield* startRunWorker().pipe(
    Effect.provideService(UnitOfWork, seen.unit),
    Effect.provideService(RunLog, seen.log),
    Effect.provideService(CheckpointStore, seen.checkpoints)
  )
  for (const run of [much, little]) assert.deepInclude(yield* soon(run), { status: "succeeded" })
  return { much, little, transactions: seen.transactions }
})

describe("a batch of the writer", () => {
  it.effect("holds little of each run, however much one of them logs", () =>
    Effect.gen(function* () {
      const { much, transactions } = yield* beside()
      const sizes = transactions.map(({ events }) => events.get(much.id) ?? 0)
      assert.isAtLeast(
        sizes.reduce((sum, size) => sum + size, 0),
        600_000
      )
      assert.isAtMost(Math.max(...sizes), 128 * 1024)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        memory(
          recipe(({ emit }) =>
            Effect.forEach(Array.from({ length: 100 }), () => emit("log", { message: "x".repeat(7_000) }), {
              discard: true
            })
          )
        )
      )
    )
  )

  it.effect("leaves a large checkpoint to a transaction of its own", () => {
    const states: ReadonlyArray<Schema.Json> = ["x".repeat(200_000), "y".repeat(300_000)]
    return Effect.gen(function* () {
      const { little, much, transactions } = yield* beside()
      const saving = transactions.filter(({ saved }) => saved.has(much.id))
      assert.strictEqual(saving.length, states.length)
      for (const { events } of saving) assert.isUndefined(events.get(little.id))
      assert.isAbove(transactions.filter(({ events }) => (events.get(little.id) ?? 0) > 2).length, 2)
    }).pipe(
      Effect.scoped,
      Effect.provide(memory(recipe(({ checkpoint }) => Effect.forEach(states, checkpoint.save, { discard: true }))))
    )
  })
})
