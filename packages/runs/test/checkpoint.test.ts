/** The checkpoint of a run that ends in the middle, and how long it is kept. */
import { CheckpointStore, type Recipe, type Run, RunReader, Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, type Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { aStoredAgent, ended, memory, trigger } from "./support.ts"

/** A recipe that counts its executions, saves the count, and ends the run as its input says. */
const counting = (seen: {
  readonly loaded: Array<Schema.Json | undefined>
  readonly asked: Array<Schema.Json | undefined>
  readonly saved: Deferred.Deferred<void>
  readonly afterwards?: (count: number) => Effect.Effect<void>
}): Recipe => ({
  name: "count",
  execute: Effect.fnUntraced(function* ({ checkpoint, run }) {
    const loaded = yield* checkpoint.load
    seen.loaded.push(loaded)
    seen.asked.push(yield* checkpoint.ofQuestion)
    const count = Number(loaded ?? 0) + 1
    yield* checkpoint.save(count)
    yield* Deferred.succeed(seen.saved, undefined)
    yield* seen.afterwards?.(count) ?? Effect.void
    return run.input === "ask"
      ? { _tag: "Paused", message: "Well?", interrupt: null }
      : { _tag: "Succeeded", result: count, message: null }
  })
})

const makeSeen = () => ({
  loaded: [] as Array<Schema.Json | undefined>,
  asked: [] as Array<Schema.Json | undefined>,
  saved: Deferred.makeUnsafe<void>()
})

const kept = (run: Pick<Run, "id" | "workspaceId">) =>
  CheckpointStore.use((store) => store.load(run.workspaceId, run.id))

describe("the checkpoint of a run", () => {
  it.live("is there for the next execution of the run, and gone once the run has ended", () => {
    const seen = makeSeen()
    const recipe = counting({ ...seen, afterwards: (count) => (count === 1 ? Effect.never : Effect.void) })
    return Effect.gen(function* () {
      const first = yield* Scope.make()
      yield* Scope.provide(startRunWorker({ drainSeconds: 0 }), first)
      const of = yield* aStoredAgent({ recipe: "count" })
      const run = yield* trigger(of)
      yield* Deferred.await(seen.saved)
      yield* Scope.close(first, Exit.void)
      assert.strictEqual(yield* kept(run), 1)
      yield* startRunWorker()
      assert.deepInclude(yield* ended(of.caller, run.id), { status: "succeeded", result: 2, attempt: 2 })
      assert.deepStrictEqual(seen.loaded, [undefined, 1])
      assert.isUndefined(yield* kept(run))
    }).pipe(Effect.scoped, Effect.provide(memory(recipe)))
  })

  it.live("is saved although its worker is stopped meanwhile", () => {
    const saving = Deferred.makeUnsafe<void>()
    const recipe: Recipe = {
      name: "count",
      execute: ({ checkpoint }) =>
        Effect.gen(function* () {
          const loaded = yield* checkpoint.load
          if (loaded !== undefined) return { _tag: "Succeeded", result: loaded, message: null } as const
          yield* Deferred.succeed(saving, undefined)
          yield* checkpoint.save("first")
          return yield* Effect.never
        })
    }
    return Effect.gen(function* () {
      const first = yield* Scope.make()
      yield* Scope.provide(startRunWorker({ drainSeconds: 0 }), first)
      const of = yield* aStoredAgent({ recipe: "count" })
      const run = yield* trigger(of)
      yield* Deferred.await(saving)
      yield* Scope.close(first, Exit.void)
      yield* startRunWorker()
      assert.deepInclude(yield* ended(of.caller, run.id), { status: "succeeded", result: "first" })
    }).pipe(Effect.scoped, Effect.provide(memory(recipe)))
  })

  it.live("of a run that ends on a question is there for the run that answers it, and no longer", () => {
    const seen = makeSeen()
    return Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent({ recipe: "count" })
      const asking = yield* trigger(of, { input: "ask" })
      yield* ended(of.caller, asking.id)
      assert.strictEqual(yield* kept(asking), 1)
      const runs = yield* Runs
      const { value: answering } = yield* runs.replyToSession({
        caller: of.caller,
        sessionId: asking.sessionId,
        message: "Yes"
      })
      yield* ended(of.caller, answering.id)
      assert.deepStrictEqual(seen.asked, [undefined, 1])
      assert.deepStrictEqual([yield* kept(asking), yield* kept(answering)], [undefined, undefined])
    }).pipe(Effect.scoped, Effect.provide(memory(counting(seen))))
  })

  it.live("goes with the question when its session is cancelled", () => {
    const seen = makeSeen()
    return Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent({ recipe: "count" })
      const asking = yield* trigger(of, { input: "ask" })
      yield* ended(of.caller, asking.id)
      const { sessionId } = asking
      yield* Runs.use((runs) => runs.cancelSession({ caller: of.caller, sessionId, reason: null, mode: "graceful" }))
      assert.isUndefined(yield* kept(asking))
    }).pipe(Effect.scoped, Effect.provide(memory(counting(seen))))
  })

  it.live("that its session keeps is there for the next run of the same agent, however its own run has ended", () => {
    const seen: Array<Schema.Json | undefined> = []
    const recipe: Recipe = {
      name: "count",
      execute: Effect.fnUntraced(function* ({ checkpoint, run }) {
        const before = yield* checkpoint.ofSession
        seen.push(before ?? null)
        yield* checkpoint.keep(Number(before ?? 0) + 1)
        return run.input === "fail"
          ? { _tag: "Failed", errorCode: "agent_error", error: "No" }
          : { _tag: "Succeeded", result: null, message: null }
      })
    }
    return Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent({ recipe: "count" })
      const first = yield* trigger(of, { input: "fail" })
      yield* ended(of.caller, first.id)
      const second = yield* trigger(of, { sessionId: first.sessionId })
      yield* ended(of.caller, second.id)
      yield* ended(of.caller, (yield* trigger(of)).id)
      assert.deepStrictEqual(seen, [null, 1, null])
      assert.deepStrictEqual([yield* kept(first), yield* kept(second)], [undefined, 2])
    }).pipe(Effect.scoped, Effect.provide(memory(recipe)))
  })

  it.effect("stops an execution that has lost its claim: it does nothing after the save", () => {
    const seen = makeSeen()
    const [begun, taken] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    let went = false
    const recipe: Recipe = {
      name: "count",
      execute: ({ checkpoint }) =>
        Effect.gen(function* () {
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(taken)
          yield* Effect.ensuring(checkpoint.save("late"), Deferred.succeed(seen.saved, undefined))
          went = true
          return { _tag: "Succeeded", result: null, message: null } as const
        })
    }
    return Effect.gen(function* () {
      // Renewing comes long after the claim was lost: it is the save that finds out.
      yield* startRunWorker({ renewSeconds: 1_000, recoverSeconds: 1_000, leaseSeconds: 10 })
      const of = yield* aStoredAgent({ recipe: "count" })
      const run = yield* trigger(of, { maxAttempts: 2 })
      yield* TestClock.adjust("1 second")
      yield* Deferred.await(begun)
      yield* TestClock.adjust("60 seconds")
      yield* Runs.use((runs) =>
        runs.cancelSession({ caller: of.caller, sessionId: run.sessionId, reason: null, mode: "immediate" })
      )
      yield* Deferred.succeed(taken, undefined)
      yield* TestClock.adjust("1 second")
      yield* Deferred.await(seen.saved)
      assert.isFalse(went)
      assert.isUndefined(yield* kept(run))
      const after = yield* RunReader.use((store) => store.find(of.caller.workspaceId, run.id))
      assert.strictEqual(after?.status, "cancelled")
    }).pipe(Effect.scoped, Effect.provide(memory(recipe)))
  })
})
