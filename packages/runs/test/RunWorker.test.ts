import { bodyOf, EventLog, Outbox, Peers } from "@agent-platform/kernel"
import {
  type Recipe,
  RUN_WORKER_DEFAULTS,
  type Run,
  RunQueue,
  RunReader,
  Runs,
  startRunWorker
} from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Logger, Schedule, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { claimInWorkspaceOf } from "../src/testing/givenRuns.ts"
import { aStoredAgent, ended, memory, trigger } from "./support.ts"

const events = Effect.gen(function* () {
  const taken = yield* Outbox.use((outbox) => outbox.take(100))
  const found = yield* EventLog.use((log) => log.find(taken.map(({ id }) => id)))
  return found.map((event) => JSON.parse(bodyOf(event)) as { type: string; data: Record<string, unknown> })
})

/** A recipe that says when it has begun and never ends. */
const hanging = (begun: Deferred.Deferred<void>): Recipe => ({
  name: "hang",
  execute: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
})

describe("the run worker", () => {
  it.live("executes a run, stores its log and publishes its outcome", () =>
    Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent()
      const run = yield* trigger(of, { input: { steps: [{ say: "hi" }, { return: 42 }] } })
      const after = yield* ended(of.caller, run.id)
      assert.deepInclude(after, { status: "succeeded", attempt: 1, result: 42, message: "hi" })
      const runs = yield* Runs
      const log = yield* runs.readRunLog({ caller: of.caller, runId: run.id, after: 0, limit: 50 })
      assert.deepStrictEqual(
        log.items.map((event) => [event.seq, event.type]),
        [
          [1, "run.queued"],
          [2, "run.started"],
          [3, "message.delta"],
          [4, "message.completed"],
          [5, "run.succeeded"]
        ]
      )
      const [event, ...more] = yield* events
      assert.isEmpty(more)
      assert.deepInclude(event, { type: "run.succeeded" })
      assert.deepInclude(event?.data, { run_id: run.id, workspace_id: of.caller.workspaceId })
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.live("follows a log to its end while the run executes, from any place", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const run = yield* trigger(of, { input: { steps: [{ say: "a" }, { sleep_ms: 20 }, { say: "b" }] } })
      const runs = yield* Runs
      const collect = (after: number) =>
        Effect.flatMap(runs.followRunLog({ caller: of.caller, runId: run.id, after }), Stream.runCollect)
      const live = yield* Effect.forkChild(collect(0))
      yield* startRunWorker()
      const seen = yield* Fiber.join(live)
      assert.deepStrictEqual(
        seen.map((event) => event.seq),
        [1, 2, 3, 4, 5, 6]
      )
      assert.deepStrictEqual(yield* collect(0), seen)
      assert.deepStrictEqual(yield* collect(4), seen.slice(4))
      assert.isEmpty(yield* collect(6))
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.live("executes the runs of one session one after another, in their order", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const first = yield* trigger(of, { input: { steps: [{ sleep_ms: 30 }] } })
      const rest = yield* Effect.forEach([1, 2, 3], (value) =>
        trigger(of, { sessionId: first.sessionId, input: { steps: [{ return: value }] } })
      )
      yield* startRunWorker()
      const done = yield* Effect.forEach([first, ...rest], (run) => ended(of.caller, run.id))
      for (const [index, run] of done.entries()) {
        const before = done[index - 1]
        if (before === undefined) continue
        assert.isTrue(DateTime.isGreaterThanOrEqualTo(run.startedAt!, before.finishedAt!))
      }
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.live("fails a run that takes too long as timed_out", () =>
    Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent()
      const run = yield* trigger(of, { maxDurationSeconds: 0.02, input: { steps: [{ sleep_ms: 60_000 }] } })
      assert.deepInclude(yield* ended(of.caller, run.id), { status: "failed", errorCode: "timed_out" })
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.live("fails a run whose recipe dies as internal_error, without saying why to the caller", () =>
    Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent({ recipe: "broken" })
      const after = yield* ended(of.caller, (yield* trigger(of)).id)
      assert.deepInclude(after, { status: "failed", errorCode: "internal_error" })
      assert.notInclude(after.error, "secret")
    }).pipe(
      Effect.scoped,
      Effect.provide(memory({ name: "broken", execute: () => Effect.die(new Error("a secret detail")) }))
    )
  )

  it.live("fails a run that was not begun in time as expired", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const run = yield* trigger(of, { ttlSeconds: 0 })
      yield* startRunWorker({ recoverSeconds: 0.01 })
      assert.deepInclude(yield* ended(of.caller, run.id), { status: "failed", errorCode: "expired", startedAt: null })
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.live("hands a run back when it stops, and no attempt is lost by it", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const of = yield* aStoredAgent({ recipe: "hang" })
        const run = yield* trigger(of)
        const worker = yield* Scope.make()
        yield* Scope.provide(startRunWorker({ drainSeconds: 0.01 }), worker)
        yield* Deferred.await(begun)
        const lines: Array<unknown> = []
        const logger = Logger.make(({ message }) => void lines.push(message))
        yield* Effect.provide(Scope.close(worker, Exit.void), Logger.layer([logger]))
        assert.include(lines.flat(), "Runs that were handed back: 1 of 1")
        const after = yield* RunReader.use((store) => store.find(of.caller.workspaceId, run.id))
        assert.deepInclude(after, { status: "queued", attempt: 1, handBacks: 1 })
        assert.strictEqual((yield* claimInWorkspaceOf(run)).length, 1)
      }).pipe(Effect.provide(memory(hanging(begun))))
    })
  )

  it.live("hands a run back whose recipe does not stop", () =>
    Effect.gen(function* () {
      const [begun, until] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const stubborn: Recipe = {
        name: "stubborn",
        execute: () =>
          Effect.uninterruptible(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(until))).pipe(
            Effect.as({ _tag: "Succeeded", result: "too late", message: null } as const)
          )
      }
      yield* Effect.gen(function* () {
        const of = yield* aStoredAgent({ recipe: "stubborn" })
        const run = yield* trigger(of)
        const worker = yield* Scope.make()
        yield* Scope.provide(startRunWorker({ drainSeconds: 0.01 }), worker)
        yield* Deferred.await(begun)
        const closing = yield* Effect.forkChild(Scope.close(worker, Exit.void))
        const find = RunReader.use((store) => store.find(of.caller.workspaceId, run.id))
        yield* Effect.repeat(find, {
          until: (found) => found?.status === "queued",
          schedule: Schedule.spaced("20 millis")
        })
        yield* Deferred.succeed(until, undefined)
        yield* Fiber.join(closing)
        assert.deepInclude(yield* find, { status: "queued", attempt: 1, handBacks: 1, result: null })
        const log = yield* Runs.use((runs) => runs.readRunLog({ ...of, runId: run.id, after: 0, limit: 50 }))
        assert.deepInclude(log.items.at(-1), { type: "run.retrying", data: { reason: "worker_stopping" } })
      }).pipe(Effect.provide(memory(stubborn)))
    })
  )

  it.live("waits for a run that ends soon when it stops", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const run = yield* trigger(of, { input: { steps: [{ say: "a" }, { sleep_ms: 50 }, { return: 1 }] } })
      const worker = yield* Scope.make()
      yield* Scope.provide(startRunWorker(), worker)
      const follow = yield* Runs.use((runs) => runs.followRunLog({ caller: of.caller, runId: run.id, after: 0 }))
      yield* Stream.runDrain(Stream.takeUntil(follow, (event) => event.type === "message.delta"))
      yield* Scope.close(worker, Exit.void)
      const after = yield* RunReader.use((store) => store.find(of.caller.workspaceId, run.id))
      assert.deepInclude(after, { status: "succeeded", result: 1 })
    }).pipe(Effect.provide(memory()))
  )

  for (const [maxAttempts, becomes] of [
    [1, "failed"],
    [2, "queued"]
  ] as const) {
    it.live(`takes a run whose worker is gone for ${becomes} after attempt 1 of ${maxAttempts}`, () =>
      Effect.gen(function* () {
        const of = yield* aStoredAgent()
        const run = yield* trigger(of, { maxAttempts, input: { steps: [{ return: "second" }] } })
        // A worker that claimed the run and was killed: its lease is over before it began.
        yield* claimInWorkspaceOf(run, { leaseSeconds: 0 })
        yield* startRunWorker({ recoverSeconds: 0.01 })
        const after = yield* ended(of.caller, run.id)
        if (becomes === "failed") assert.deepInclude(after, { status: "failed", errorCode: "worker_lost" })
        else assert.deepInclude(after, { status: "succeeded", attempt: 2, result: "second" })
        assert.strictEqual((yield* events).length, 1)
      }).pipe(Effect.scoped, Effect.provide(memory()))
    )
  }
})

describe("a run worker among others", () => {
  const among = (processes: number, joined: Array<string> = []) =>
    Effect.provideService(Peers, {
      join: (work) =>
        Effect.as(
          Effect.acquireRelease(
            Effect.sync(() => void joined.push(work)),
            () => Effect.sync(() => void joined.splice(joined.indexOf(work), 1))
          ),
          () => processes
        )
    })

  it.effect("begins at once what comes after its rest, and rests before it claims again", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const reader = yield* RunReader
      const isBegun = ({ id }: Run) =>
        Effect.map(reader.find(of.caller.workspaceId, id), (found) => found?.status !== "queued")
      yield* startRunWorker().pipe(among(4))
      yield* TestClock.adjust("100 millis")
      const first = yield* trigger(of)
      yield* TestClock.adjust("1 millis")
      const seen = [yield* isBegun(first)]
      const second = yield* trigger(of)
      yield* TestClock.adjust("13 millis")
      seen.push(yield* isBegun(second))
      yield* TestClock.adjust("2 millis")
      seen.push(yield* isBegun(second))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, [true, false, true])
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.effect("has joined them for each of its batches, and leaves them when it stops", () =>
    Effect.gen(function* () {
      const joined: Array<string> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* startRunWorker().pipe(among(2, joined))
          assert.sameMembers(joined, ["beginning runs", "writing runs"])
        })
      )
      assert.isEmpty(joined)
    }).pipe(Effect.provide(memory()))
  )
})

describe("a run worker beside one that is gone", () => {
  it.effect("notices within 15 seconds that a claim is renewed no more", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const run = yield* trigger(of)
      // Killed right after it renewed.
      yield* claimInWorkspaceOf(run, { leaseSeconds: RUN_WORKER_DEFAULTS.leaseSeconds })
      yield* startRunWorker()
      yield* TestClock.adjust("9 seconds")
      const find = RunReader.use((store) => store.find(of.caller.workspaceId, run.id))
      assert.deepInclude(yield* find, { status: "running" })
      yield* TestClock.adjust("6 seconds")
      assert.deepInclude(yield* find, { status: "failed", errorCode: "worker_lost" })
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )
})

describe("a run worker whose store was away", () => {
  it.effect("lets the living renew before it takes anybody for lost", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const queue = yield* RunQueue
      const runs = yield* RunReader
      const run = yield* trigger(of)
      const [held] = yield* claimInWorkspaceOf(run, { leaseSeconds: 10 })
      // The store is away for a minute: the holder cannot renew, and its lease ends.
      let away = true
      const unlessAway = <A, R>(effect: Effect.Effect<A, never, R>) =>
        Effect.suspend(() => (away ? Effect.die(new Error("The store is away")) : effect))
      yield* startRunWorker().pipe(
        Effect.provideService(RunQueue, {
          ...queue,
          renew: (tokens, options) => unlessAway(queue.renew(tokens, options)),
          lapsed: (options) => unlessAway(queue.lapsed(options))
        })
      )
      yield* TestClock.adjust("60 seconds")
      away = false
      // It is back; the holder renews when its turn comes, after the others have looked for the lost.
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* queue.renew([held!.claimToken], { leaseSeconds: 10 })).size, 1)
      yield* TestClock.adjust("8 seconds")
      assert.deepInclude(yield* runs.find(of.caller.workspaceId, run.id), { status: "running" })
      // And a holder that is really gone is found all the same.
      yield* TestClock.adjust("15 seconds")
      assert.deepInclude(yield* runs.find(of.caller.workspaceId, run.id), { status: "failed" })
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )
})
