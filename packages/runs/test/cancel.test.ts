import { EventLog, Outbox } from "@agent-platform/kernel"
import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { type Recipe, type Run, RunReader, RunSettlement, Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { aStoredAgent, ended, memory, trigger } from "./support.ts"

/** A recipe that says when it has begun, and notes when it was interrupted. */
const hanging = (begun: Deferred.Deferred<void>, interrupted: Deferred.Deferred<void>): Recipe => ({
  name: "hang",
  execute: () =>
    Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
    )
})

/** A recipe that nothing stops before it wants to. */
const stubborn = (begun: Deferred.Deferred<void>, until: Deferred.Deferred<void>): Recipe => ({
  name: "stubborn",
  execute: () =>
    Effect.uninterruptible(
      Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(until)).pipe(
        Effect.as({ _tag: "Succeeded", result: "too late", message: null } as const)
      )
    )
})

type Of = Effect.Success<ReturnType<typeof aStoredAgent>>

const cancel = ({ caller }: Of, run: Run, mode: "graceful" | "immediate" = "graceful") =>
  Runs.use((runs) => runs.cancelSession({ caller, sessionId: run.sessionId, mode, reason: "Enough" }))

const outcomes = Effect.gen(function* () {
  const taken = yield* Outbox.use((outbox) => outbox.take(100))
  const found = yield* EventLog.use((log) => log.find(taken.map(({ id }) => id)))
  return found.map(({ type }) => type)
})

const logOf = ({ caller }: Of, run: Run) =>
  Effect.map(
    Runs.use((runs) => runs.readRunLog({ caller, runId: run.id, after: 0, limit: 50 })),
    ({ items }) => items.map(({ type }) => type)
  )

describe("cancelling a session", () => {
  it.live("stops the recipe of a running run at once, and the run ends cancelled with one event", () =>
    Effect.gen(function* () {
      const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.gen(function* () {
        yield* startRunWorker({ renewSeconds: 3_600 })
        const of = yield* aStoredAgent({ recipe: "hang" })
        const run = yield* trigger(of)
        yield* Deferred.await(begun)
        const done = yield* cancel(of, run)
        assert.deepStrictEqual([done.cancelled.length, done.requested.length], [0, 1])
        yield* Deferred.await(interrupted)
        const after = yield* ended(of.caller, run.id)
        assert.deepInclude(after, { status: "cancelled", cancelRequestedAt: done.requested[0]!.cancelRequestedAt })
        assert.deepStrictEqual(yield* logOf(of, run), [
          "run.queued",
          "run.started",
          "cancel.requested",
          "run.cancelled"
        ])
        assert.deepStrictEqual(yield* outcomes, ["run.cancelled"])
      }).pipe(Effect.scoped, Effect.provide(memory(hanging(begun, interrupted))))
    })
  )

  it.effect("fences a run off after ten seconds of grace whatever its recipe does, and nobody else suffers", () =>
    Effect.gen(function* () {
      const [begun, until] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.gen(function* () {
        yield* startRunWorker()
        const of = yield* aStoredAgent({ recipe: "stubborn", recipes: ["demo"] })
        const run = yield* trigger(of)
        const other = yield* trigger(of, { recipe: "demo", input: { steps: [{ sleep_ms: 60_000 }, { return: 1 }] } })
        yield* Deferred.await(begun)
        yield* cancel(of, run)
        const find = (one: Run) => RunReader.use((store) => store.find(of.caller.workspaceId, one.id))
        yield* TestClock.adjust("9 seconds")
        assert.deepInclude(yield* find(run), { status: "running" })
        yield* TestClock.adjust("4 seconds")
        assert.deepInclude(yield* find(run), { status: "cancelled" })
        // The leases of the others are renewed although the recipe goes on.
        yield* TestClock.adjust("30 seconds")
        assert.deepInclude(yield* find(other), { status: "running", attempt: 1 })
        yield* Deferred.succeed(until, undefined)
        yield* TestClock.adjust("30 seconds")
        assert.deepInclude(yield* find(run), { status: "cancelled", result: null })
        assert.deepInclude(yield* find(other), { status: "succeeded" })
        assert.sameMembers(yield* outcomes, ["run.cancelled", "run.succeeded"])
      }).pipe(Effect.scoped, Effect.provide(memory(stubborn(begun, until))))
    })
  )

  it.live("fences a run off at once when it is to be immediate", () =>
    Effect.gen(function* () {
      const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.gen(function* () {
        yield* startRunWorker()
        const of = yield* aStoredAgent({ recipe: "hang" })
        const run = yield* trigger(of)
        yield* Deferred.await(begun)
        const done = yield* cancel(of, run, "immediate")
        assert.deepStrictEqual(
          done.cancelled.map(({ id, status }) => [id, status]),
          [[run.id, "cancelled"]]
        )
        yield* Deferred.await(interrupted)
        assert.deepStrictEqual(yield* outcomes, ["run.cancelled"])
      }).pipe(Effect.scoped, Effect.provide(memory(hanging(begun, interrupted))))
    })
  )

  it.live("is noticed by a renewal when its signal is lost", () =>
    Effect.gen(function* () {
      const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.gen(function* () {
        yield* startRunWorker({ renewSeconds: 0.02 })
        const of = yield* aStoredAgent({ recipe: "hang" })
        const run = yield* trigger(of)
        yield* Deferred.await(begun)
        // As by a process whose signals reach nobody: the row alone is marked.
        const settlement = yield* RunSettlement
        const database = yield* MemoryDatabase
        yield* database.atomic(settlement.requestCancel(run.id))
        yield* Deferred.await(interrupted)
        assert.deepInclude(yield* ended(of.caller, run.id), { status: "cancelled" })
      }).pipe(Effect.scoped, Effect.provide(memory(hanging(begun, interrupted))))
    })
  )

  it.live("is not lost when it races the start of a run", () =>
    Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent()
      const races = Array.from({ length: 30 }, () =>
        Effect.gen(function* () {
          const run = yield* trigger(of, { input: { steps: [{ sleep_ms: 20_000 }] } })
          yield* cancel(of, run)
          return yield* ended(of.caller, run.id)
        })
      )
      const runs = yield* Effect.all(races, { concurrency: "unbounded" })
      for (const run of runs) assert.strictEqual(run.status, "cancelled")
      assert.deepStrictEqual(
        yield* outcomes,
        Array.from({ length: 30 }, () => "run.cancelled")
      )
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.live("cancels hundreds of queued runs, and asks for nothing new the second time", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const first = yield* trigger(of)
      const rest = yield* Effect.forEach(Array.from({ length: 249 }), () => trigger(of, { sessionId: first.sessionId }))
      const done = yield* cancel(of, first)
      assert.sameMembers(
        done.cancelled.map(({ id }) => id),
        [first, ...rest].map(({ id }) => id)
      )
      assert.deepStrictEqual(yield* logOf(of, first), ["run.queued", "cancel.requested", "run.cancelled"])
      assert.deepStrictEqual(yield* cancel(of, first), { cancelled: [], requested: [], questions: [] })
    }).pipe(Effect.provide(memory()))
  )

  it.live("is in the activity feed by who did it, and a run that fails or asks is a notice", () =>
    Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent()
      const { activity, notification } = feedTables(yield* MemoryDatabase)
      const failing = yield* trigger(of, { input: { steps: [{ fail: "out of words" }] } })
      yield* ended(of.caller, failing.id)
      const asking = yield* trigger(of, { input: { steps: [{ ask: "Shall I?" }] } })
      yield* ended(of.caller, asking.id)
      const reply = yield* Runs.use((runs) =>
        runs.replyToSession({ caller: of.caller, sessionId: asking.sessionId, message: "Yes" })
      )
      yield* ended(of.caller, reply.value.id)
      const late = yield* trigger(of, {
        runAt: null,
        sessionId: asking.sessionId,
        input: { steps: [{ sleep_ms: 9e6 }] }
      })
      yield* cancel(of, late)
      const acts = (yield* activity.all).map(({ action, actor, resourceId }) => [action, actor.label, resourceId])
      const { name } = of.agent
      assert.deepStrictEqual(acts, [
        ["run.triggered", "a key", failing.id],
        ["run.failed", name, failing.id],
        ["run.triggered", "a key", asking.id],
        ["run.paused", name, asking.id],
        ["session.replied", "a key", asking.sessionId],
        ["run.succeeded", name, reply.value.id],
        ["run.triggered", "a key", late.id],
        ["run.cancelled", "a key", late.id]
      ])
      assert.deepStrictEqual(
        (yield* notification.all).map(({ body, payload, type }) => [type, body, payload["run_id"]]),
        [
          ["run.failed", "out of words", failing.id],
          ["run.paused", "Shall I?", asking.id]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )
})
