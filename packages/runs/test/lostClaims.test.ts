/** The log lines of a worker about claims that it lost, and about those that only ended. */
import { UnitOfWork } from "@agent-platform/kernel"
import { type Recipe, RunQueue, RunSettlement, recoverRuns, startRunWorker } from "@agent-platform/runs"
import { claimInWorkspaceOf } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Logger } from "effect"
import { aStoredAgent, ended, memory, trigger } from "./support.ts"

/** A recipe that says when it has begun and never ends. */
const hanging = (begun: Deferred.Deferred<void>): Recipe => ({
  name: "hang",
  execute: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
})

/** The warnings of what is logged, and the first of them once there is one. */
const warnings = () => {
  const all: Array<string> = []
  const first = Deferred.makeUnsafe<string>()
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel !== "Warn") return
    all.push(String(message))
    Deferred.doneUnsafe(first, Effect.succeed(String(message)))
  })
  return { all, first, layer: Logger.layer([logger]) }
}

describe("a claim whose answer is lost", () => {
  it.live("is handed back, costs no attempt, and its run is executed", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const run = yield* trigger(of, { input: { steps: [{ return: 1 }] } })
      const unit = yield* UnitOfWork
      const queue = yield* RunQueue
      const warned = warnings()
      let isLost = false
      let claims = 0
      yield* startRunWorker().pipe(
        Effect.provideService(RunQueue, {
          ...queue,
          claim: (request) =>
            Effect.tap(queue.claim(request), ({ claimed }) => Effect.sync(() => (claims += claimed.length)))
        }),
        // As where the store fails over between the commit and its answer.
        Effect.provideService(UnitOfWork, {
          atomic: (effect) =>
            Effect.tap(unit.atomic(effect), () => {
              if (isLost || claims === 0) return Effect.void
              isLost = true
              return Effect.die(new Error("The connection was lost"))
            })
        }),
        Effect.provide(warned.layer)
      )
      const after = yield* ended(of.caller, run.id)
      assert.deepInclude(after, { status: "succeeded", attempt: 2, handBacks: 1 })
      assert.strictEqual(claims, 2)
      assert.include(warned.all, "Handed back 1 runs whose claim was not answered")
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )
})

describe("a run that is taken from its worker", () => {
  it.live("leaves a line that names the worker, and why", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const run = yield* trigger(of, { maxAttempts: 1 })
      const warned = warnings()
      yield* claimInWorkspaceOf(run, { by: "0123456789abcdef", leaseSeconds: 0 })
      yield* recoverRuns().pipe(Effect.provide(warned.layer))
      assert.deepStrictEqual(warned.all, [
        `Run ${run.id} of workspace ${run.workspaceId} was taken from worker 0123456789, which did not renew its claim in time ` +
          "(attempt 1 of 1): worker_lost",
        "A run failed: worker_lost"
      ])
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )
})

describe("a lost claim", () => {
  it.live("is not warned of where a renewal comes upon a run that has just been settled", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const run = yield* trigger(of, { input: { steps: [{ return: 1 }] } })
      const settlement = yield* RunSettlement
      const queue = yield* RunQueue
      const unit = yield* UnitOfWork
      const [settling, settled, renewed] = [yield* Deferred.make(), yield* Deferred.make(), yield* Deferred.make()]
      const warned = warnings()
      let renewals = 0
      yield* startRunWorker({ renewSeconds: 0.005 }).pipe(
        Effect.provideService(RunSettlement, {
          ...settlement,
          settle: (all) => Effect.tap(settlement.settle(all), () => Deferred.succeed(settling, undefined))
        }),
        Effect.provideService(RunQueue, {
          ...queue,
          // The first renewal meets a settlement whose answer the worker lacks; the second comes after the outcome of the first.
          renew: (tokens, options) =>
            Effect.gen(function* () {
              renewals++
              if (renewals === 1) yield* Deferred.await(settled)
              if (renewals === 2) yield* Deferred.succeed(renewed, undefined)
              return yield* queue.renew(tokens, options)
            })
        }),
        Effect.provideService(UnitOfWork, {
          atomic: (effect) =>
            Effect.tap(unit.atomic(effect), () =>
              Effect.gen(function* () {
                if (!(yield* Deferred.isDone(settling))) return
                yield* Deferred.succeed(settled, undefined)
                yield* Deferred.await(renewed)
              })
            )
        }),
        Effect.provide(warned.layer)
      )
      assert.strictEqual((yield* ended(of.caller, run.id)).status, "succeeded")
      yield* Deferred.await(renewed)
      assert.isEmpty(warned.all)
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.live("is warned of where it keeps the end of a run from being written", () =>
    Effect.gen(function* () {
      const run = yield* trigger(yield* aStoredAgent())
      const settlement = yield* RunSettlement
      const warned = warnings()
      yield* startRunWorker().pipe(
        Effect.provideService(RunSettlement, { ...settlement, hold: () => Effect.succeed(new Map()) }),
        Effect.provide(warned.layer)
      )
      assert.strictEqual(
        yield* Deferred.await(warned.first),
        `The claim on run ${run.id} was lost, what it came to is not written`
      )
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.live("is warned of by the renewal that finds it out", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const run = yield* trigger(yield* aStoredAgent({ recipe: "hang" }))
        const queue = yield* RunQueue
        const warned = warnings()
        yield* startRunWorker({ renewSeconds: 0.005 }).pipe(
          Effect.provideService(RunQueue, {
            ...queue,
            renew: (tokens, options) =>
              Effect.flatMap(Deferred.isDone(begun), (isBegun) => queue.renew(isBegun ? [] : tokens, options))
          }),
          Effect.provide(warned.layer)
        )
        assert.strictEqual(
          yield* Deferred.await(warned.first),
          `The claim on run ${run.id} was lost, its execution is stopped`
        )
      }).pipe(Effect.provide(memory(hanging(begun))))
    }).pipe(Effect.scoped)
  )
})
