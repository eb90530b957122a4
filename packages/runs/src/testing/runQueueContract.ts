import { WorkspaceId } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { type ClaimRequest, RunStore } from "../ports/RunStore.ts"
import { cancelled, lost } from "../Run.ts"
import {
  at,
  atomic,
  claimBeside,
  givenRuns,
  has,
  NEVER,
  type RunStores,
  settle,
  stored,
  succeeded
} from "./givenRuns.ts"

const idsOf = (claimed: ReadonlyArray<{ readonly run: { readonly id: string } }>) => claimed.map(({ run }) => run.id)

/** What every store of runs must hold as the queue of those that wait. */
export const runQueueContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores, E>) =>
  describe(`run queue over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      /** Workspaces with so many runs each, each run in a session of its own; smallest id first. */
      const workspaces = (...sizes: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          const ids = sizes.map(() => anId(WorkspaceId)).sort()
          for (const [index, size] of sizes.entries()) {
            const caller = aCaller({ workspaceId: ids[index]! })
            yield* Effect.forEach(Array.from({ length: size }), () => givenRuns(1, {}, caller), { discard: true })
          }
          return ids
        })
      const claim = (ids: ReadonlyArray<WorkspaceId>, request: Partial<ClaimRequest>) =>
        Effect.map(
          atomic(
            RunStore.use((store) =>
              store.claim({
                max: 10,
                perWorkspace: 0,
                rooms: new Map(ids.map((id) => [id, 1_000])),
                after: undefined,
                leaseSeconds: 3_600,
                ...request
              })
            )
          ),
          ({ claimed, last }) => ({
            last,
            counts: ids.map((id) => claimed.filter(({ run }) => run.workspaceId === id).length)
          })
        )

      it.effect("lets the workspaces take turns, however long the queue of one is", () =>
        Effect.gen(function* () {
          const ids = yield* workspaces(40, 1, 3)
          assert.deepStrictEqual((yield* claim(ids, { max: 9 })).counts, [5, 1, 3])
          assert.deepStrictEqual((yield* claim(ids, { max: 9 })).counts, [9, 0, 0])
        })
      )

      it.effect("goes on behind the workspace that had its turn last, and round again", () =>
        Effect.gen(function* () {
          const ids = yield* workspaces(2, 2, 2)
          const first = yield* claim(ids, { max: 2 })
          assert.deepStrictEqual(first.counts, [1, 1, 0])
          assert.strictEqual(first.last, ids[1])
          const second = yield* claim(ids, { max: 2, after: first.last })
          assert.deepStrictEqual(second.counts, [1, 0, 1])
          assert.strictEqual(second.last, ids[0])
          assert.deepStrictEqual((yield* claim(ids, { max: 9, after: second.last })).counts, [0, 1, 1])
        })
      )

      it.effect("gives no workspace more than the room that it has", () =>
        Effect.gen(function* () {
          const ids = yield* workspaces(5, 5, 5)
          const rooms = new Map([
            [ids[0]!, 2],
            [ids[1]!, 0],
            [ids[2]!, 4]
          ])
          assert.deepStrictEqual((yield* claim(ids, { rooms })).counts, [2, 0, 4])
        })
      )

      it.effect("claims by priority and then by age, within a workspace alone", () =>
        Effect.gen(function* () {
          const [mine, other] = [aCaller(), aCaller()]
          const urgent = yield* givenRuns(1, { priority: 100 }, other)
          const low = yield* givenRuns(1, { priority: -1 }, mine)
          const older = yield* givenRuns(1, {}, mine)
          const younger = yield* givenRuns(1, {}, mine)
          const high = yield* givenRuns(1, { priority: 1 }, mine)
          const order = [high, older, younger, low].map(({ first }) => first.id)
          for (const id of order) {
            const rooms = new Map([
              [mine.workspaceId, 1],
              [other.workspaceId, 0]
            ])
            assert.deepStrictEqual(idsOf(yield* claimBeside(low.first, { rooms })), [id])
          }
          assert.strictEqual((yield* stored(urgent.first))?.status, "queued")
        })
      )

      it.effect("hands no run to two of many who claim all the time", () =>
        Effect.gen(function* () {
          const ids = yield* workspaces(30, 30)
          const rooms = new Map(ids.map((id) => [id, 3]))
          const worker = Effect.gen(function* () {
            const taken: Array<string> = []
            while (true) {
              const some = yield* claimBeside({ workspaceId: ids[0]! }, { rooms, max: 5 })
              if (some.length === 0) return taken
              taken.push(...idsOf(some))
            }
          })
          const taken = yield* Effect.all(
            Array.from({ length: 6 }, () => worker),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(taken.flat().length, 60)
          assert.strictEqual(new Set(taken.flat()).size, 60)
        })
      )

      it.effect("leaves a run alone until its time has come, and those behind it in its session", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(2, { runAt: NEVER })
          const due = yield* givenRuns(1, { runAt: at(-3600) })
          yield* atomic(RunStore.use((store) => store.wakeScheduled))
          assert.isEmpty(yield* claimBeside(first))
          assert.deepStrictEqual(idsOf(yield* claimBeside(due.first)), [due.first.id])
        })
      )

      it.effect("lets a run go when its time comes while it waits", () =>
        Effect.gen(function* () {
          const soon = DateTime.add(yield* DateTime.now, { milliseconds: 150 })
          const { first } = yield* givenRuns(1, { runAt: soon })
          let claimed: ReadonlyArray<string> = []
          while (claimed.length === 0) {
            yield* atomic(RunStore.use((store) => store.wakeScheduled))
            claimed = idsOf(yield* claimBeside(first))
            const isEarly = DateTime.isLessThan(yield* DateTime.now, DateTime.subtract(soon, { milliseconds: 50 }))
            if (isEarly) assert.isEmpty(claimed)
          }
          assert.deepStrictEqual(claimed, [first.id])
        })
      )

      it.effect("marks a running run as to be cancelled, once, and tells its holder", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const request = atomic(RunStore.use((store) => store.requestCancel(first.id)))
          assert.isUndefined(yield* request)
          const [claimed] = yield* claimBeside(first)
          const { claimToken, run } = claimed!
          const requestedAt = yield* request
          assert.isDefined(requestedAt)
          assert.deepStrictEqual(yield* request, requestedAt)
          const renewed = yield* RunStore.use((store) => store.renew([claimToken], { leaseSeconds: 3_600 }))
          assert.deepStrictEqual(renewed.get(claimToken), requestedAt)
          const held = yield* atomic(RunStore.use((store) => store.hold([{ runId: run.id, claimToken }])))
          assert.deepStrictEqual(held.get(run.id)?.cancelRequestedAt, requestedAt)
          yield* settle(claimToken, cancelled({ ...run, cancelRequestedAt: requestedAt! }, at(7)))
          assert.isUndefined(yield* request)
          assert.deepInclude(yield* stored(first), { status: "cancelled", cancelRequestedAt: requestedAt })
        })
      )

      it.effect("finds a run that goes on although it was to be cancelled, once the grace is over", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const [claimed] = yield* claimBeside(first)
          const overdue = (graceSeconds: number) =>
            Effect.map(atomic(RunStore.use((store) => store.overdue({ max: 1_000, graceSeconds }))), (held) =>
              has(held, first.id)
            )
          assert.isFalse(yield* overdue(0))
          yield* atomic(RunStore.use((store) => store.requestCancel(first.id)))
          assert.isFalse(yield* overdue(3_600))
          assert.isTrue(yield* overdue(0))
          yield* settle(claimed!.claimToken, succeeded(claimed!.run))
          assert.isFalse(yield* overdue(0))
        })
      )

      it.effect("lets nobody else find a lost run while it is being recovered", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1, { maxAttempts: 100 })
          yield* claimBeside(first, { leaseSeconds: 0 })
          const recover = atomic(
            Effect.gen(function* () {
              const store = yield* RunStore
              const mine = (yield* store.lapsed({ max: 1_000 })).filter(({ run }) => run.id === first.id)
              yield* Effect.yieldNow
              yield* store.settle(mine.map(({ claimToken, run }) => ({ claimToken, run: lost(run, at(9)) })))
              return mine.length
            })
          )
          const found = yield* Effect.all(
            Array.from({ length: 8 }, () => recover),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(
            found.reduce((sum, count) => sum + count, 0),
            1
          )
        })
      )
    })
  })
