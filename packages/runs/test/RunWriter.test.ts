/** The one writer of a worker, over a store that refuses what one of its runs did. */
import { type Run, RunLog, RunReader, RunSettlement, Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { aStoredAgent, memory, soon, trigger } from "./support.ts"

const find = (run: Run) => RunReader.use((store) => store.find(run.workspaceId, run.id))

const logOf = (of: Effect.Success<ReturnType<typeof aStoredAgent>>, run: Run) =>
  Effect.map(
    Runs.use((runs) => runs.readRunLog({ caller: of.caller, runId: run.id, after: 0, limit: 500 })),
    ({ items }) => items.map(({ data, type }) => (type === "message.delta" ? data["text"] : type))
  )

/** A worker whose scope closes although nobody moves the clock any more, whatever is left unwritten. */
const aWorker = Effect.andThen(
  startRunWorker(),
  Effect.addFinalizer(() =>
    Effect.forkDetach(
      Effect.forEach(
        Array.from({ length: 1_000 }),
        () => Effect.andThen(TestClock.adjust("100 millis"), Effect.yieldNow),
        {
          discard: true
        }
      )
    )
  )
)

/** A store that throws this at whatever is written of a run, but for its being read. */
const refusing = Effect.fnUntraced(function* (isRefused: (run: { readonly id: string }) => unknown) {
  const log = yield* RunLog
  const settlement = yield* RunSettlement
  const refuse = (all: ReadonlyArray<{ readonly id: string }>) => {
    const fault = all.map(isRefused).find((one) => one !== undefined)
    return fault === undefined ? Effect.void : Effect.die(fault)
  }
  return {
    log: RunLog.of({
      ...log,
      append: (entries) => Effect.andThen(refuse(entries.map(({ runId }) => ({ id: runId }))), log.append(entries))
    }),
    settlement: RunSettlement.of({
      ...settlement,
      settle: (settled) => Effect.andThen(refuse(settled.map(({ run }) => run)), settlement.settle(settled))
    })
  }
})

const says = (...texts: ReadonlyArray<string>) => ({
  input: { steps: [...texts.map((say) => ({ say })), { return: texts.length }] }
})

describe("the writer of a worker", () => {
  it.effect("goes on writing for others while the store refuses one run, whose own writes keep their order", () =>
    Effect.gen(function* () {
      let refused: string | undefined
      const { log, settlement } = yield* refusing(({ id }) => (id === refused ? new Error("Refused") : undefined))
      yield* aWorker.pipe(Effect.provideService(RunLog, log), Effect.provideService(RunSettlement, settlement))
      const of = yield* aStoredAgent()
      const steps = [{ say: "a" }, { sleep_ms: 100 }, { say: "b" }, { sleep_ms: 100 }, { say: "c" }]
      const bad = yield* trigger(of, { input: { steps } })
      refused = bad.id
      yield* TestClock.adjust("50 millis")
      // In the batch that is refused, and after it.
      const others = yield* Effect.forEach([1, 2, 3], () => trigger(of, says("x", "y")))
      for (const run of others) assert.deepInclude(yield* soon(run), { status: "succeeded", result: 2 })
      for (const run of [yield* trigger(of, says("z"))]) assert.deepInclude(yield* soon(run), { result: 1 })
      assert.deepInclude(yield* find(bad), { status: "running" })
      refused = undefined
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* soon(bad), { status: "succeeded" })
      const whole = ["run.queued", "run.started", "a", "b", "c", "message.completed", "run.succeeded"]
      assert.deepStrictEqual(yield* logOf(of, bad), whole)
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.effect("divides a batch that is refused, so that all but one of it are written at once", () =>
    Effect.gen(function* () {
      let refused: string | undefined
      const { log, settlement } = yield* refusing(({ id }) => (id === refused ? new Error("Refused") : undefined))
      const of = yield* aStoredAgent()
      const all = yield* Effect.forEach(Array.from({ length: 20 }), () => trigger(of, says()))
      refused = all[7]!.id
      yield* aWorker.pipe(Effect.provideService(RunLog, log), Effect.provideService(RunSettlement, settlement))
      for (const run of all) if (run.id !== refused) assert.deepInclude(yield* soon(run), { status: "succeeded" })
      assert.deepInclude(yield* find(all[7]!), { status: "running" })
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  for (const [what, fault] of [
    ["TypeError", new TypeError("Not ours")],
    ["RangeError", new RangeError("Not ours")]
  ] as const) {
    it.effect(`fails a run at once for which code throws a ${what}, be it at its end or before`, () =>
      Effect.gen(function* () {
        const [log, settlement] = [yield* RunLog, yield* RunSettlement]
        const of = yield* aStoredAgent()
        const early = yield* trigger(of, { input: { steps: [{ say: "a" }, { sleep_ms: 60_000 }] } })
        const late = yield* trigger(of, says("x"))
        yield* aWorker.pipe(
          Effect.provideService(RunLog, {
            ...log,
            append: (entries) =>
              entries.some(({ runId }) => runId === early.id) ? Effect.die(fault) : log.append(entries)
          }),
          Effect.provideService(RunSettlement, {
            ...settlement,
            settle: (settled) =>
              settled.some(({ run }) => run.result !== null) ? Effect.die(fault) : settlement.settle(settled)
          })
        )
        const error = "What the run did could not be stored"
        for (const run of [early, late]) {
          assert.deepInclude(yield* soon(run), { status: "failed", errorCode: "internal_error", error, result: null })
        }
        assert.strictEqual((yield* logOf(of, late)).at(-1), "run.failed")
      }).pipe(Effect.scoped, Effect.provide(memory()))
    )
  }

  for (const [when, sleep_ms] of [
    ["still executed", 60_000],
    ["long done", 100]
  ] as const) {
    it.effect(`fails a run, ${when}, of which the store refuses something for half a minute`, () =>
      Effect.gen(function* () {
        const log = yield* RunLog
        const of = yield* aStoredAgent()
        const run = yield* trigger(of, { input: { steps: [{ say: "a" }, { sleep_ms }, { return: 1 }] } })
        yield* aWorker.pipe(Effect.provideService(RunLog, { ...log, append: () => Effect.die(new Error("Refused")) }))
        yield* TestClock.adjust("29 seconds")
        assert.deepInclude(yield* find(run), { status: "running" })
        yield* TestClock.adjust("2 seconds")
        assert.deepInclude(yield* soon(run), { status: "failed", errorCode: "internal_error", result: null })
        assert.deepInclude(yield* logOf(of, run), "run.failed")
      }).pipe(Effect.scoped, Effect.provide(memory()))
    )
  }

  it.effect("does not keep its worker from stopping", () =>
    Effect.gen(function* () {
      let refused: string | undefined
      const { log, settlement } = yield* refusing(({ id }) => (id === refused ? new Error("Refused") : undefined))
      const of = yield* aStoredAgent()
      const [bad, other] = [
        yield* trigger(of, says("a")),
        yield* trigger(of, { input: { steps: [{ sleep_ms: 60_000 }] } })
      ]
      refused = bad.id
      const worker = yield* Scope.make()
      yield* Scope.provide(startRunWorker({ drainSeconds: 1 }), worker).pipe(
        Effect.provideService(RunLog, log),
        Effect.provideService(RunSettlement, settlement)
      )
      yield* TestClock.adjust("100 millis")
      const closing = yield* Effect.forkChild(Scope.close(worker, Exit.void))
      // A second for what ends, two for what is interrupted, and five to hand back.
      yield* TestClock.adjust("8 seconds")
      yield* Effect.yieldNow
      assert.isDefined(closing.pollUnsafe())
      yield* Fiber.join(closing)
      assert.deepInclude(yield* find(other), { status: "queued", attempt: 1, handBacks: 1 })
      assert.deepInclude(yield* find(bad), { status: "running" })
    }).pipe(Effect.provide(memory()))
  )
})
