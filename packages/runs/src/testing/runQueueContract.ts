import { atomic, OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { type ClaimRequest, RunQueue } from "../ports/RunQueue.ts"
import { RunSettlement } from "../ports/RunSettlement.ts"
import { Run } from "../Run.ts"
import { sharesOf, turnsAfter } from "../worker/shares.ts"
import {
  at,
  claimInWorkspaceOf,
  freshBy,
  givenRuns,
  has,
  NEVER,
  type RunStores,
  settle,
  sharesOnlyFor,
  stored,
  succeeded
} from "./givenRuns.ts"

type Owner = Pick<Run, "organizationId" | "workspaceId">

const idsOf = (claimed: ReadonlyArray<{ readonly run: { readonly id: string } }>) => claimed.map(({ run }) => run.id)

/** The contract of every queue of runs. */
export const runQueueContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores, E>) =>
  describe(`run queue over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      /** Makes workspaces of one organization, smallest id first. `sizes` are their numbers of runs, each in its own session. */
      const workspaces = (organizationId: OrganizationId, ...sizes: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          const ids = sizes.map(() => anId(WorkspaceId)).sort()
          const owners = ids.map((workspaceId) => aCaller({ organizationId, workspaceId }))
          for (const [index, size] of sizes.entries()) {
            yield* Effect.forEach(Array.from({ length: size }), () => givenRuns(1, {}, owners[index]!), {
              discard: true
            })
          }
          return owners
        })
      /** Makes several organizations with such workspaces. */
      const organizations = (...sizes: ReadonlyArray<ReadonlyArray<number>>) =>
        Effect.gen(function* () {
          const ids = sizes.map(() => anId(OrganizationId)).sort()
          return yield* Effect.forEach(ids, (id, index) => workspaces(id, ...sizes[index]!))
        })
      /** Lets the rounds begin with the first of these owners, after those of other tests. */
      const startAt = ([first]: ReadonlyArray<Owner>) => ({
        organization: OrganizationId.make(`${first!.organizationId.slice(0, -12)}000000000000`),
        workspaces: new Map()
      })
      /** Claims for these workspaces, and returns how many runs each got. */
      const claim = (owners: ReadonlyArray<Owner>, request: Partial<ClaimRequest> = {}) =>
        Effect.map(
          atomic(
            RunQueue.use((store) =>
              store.claim({
                by: freshBy(),
                max: 10,
                shares: sharesOnlyFor(owners),
                after: startAt(owners),
                leaseSeconds: 3_600,
                ...request
              })
            )
          ),
          ({ claimed, last }) => ({
            claimed,
            last,
            counts: owners.map(({ workspaceId }) => claimed.filter(({ run }) => run.workspaceId === workspaceId).length)
          })
        )

      it.effect("goes on behind the organization that had its turn last, and round again", () =>
        Effect.gen(function* () {
          const owners = (yield* organizations([2], [2], [2])).flat()
          const first = yield* claim(owners, { max: 2 })
          assert.deepStrictEqual(first.counts, [1, 1, 0])
          assert.strictEqual(first.last.organization, owners[1]!.organizationId)
          const second = yield* claim(owners, { max: 2, after: first.last })
          assert.deepStrictEqual(second.counts, [1, 0, 1])
          assert.strictEqual(second.last.organization, owners[0]!.organizationId)
          assert.deepStrictEqual((yield* claim(owners, { max: 9, after: second.last })).counts, [0, 1, 1])
        })
      )

      it.effect("comes to the runs behind organizations of which all that waits has expired", () =>
        Effect.gen(function* () {
          const owners = (yield* organizations([0], [0], [1])).flat()
          for (const gone of owners.slice(0, 2)) yield* givenRuns(1, { expiresAt: at(-60) }, gone)
          let after: ClaimRequest["after"] = startAt(owners)
          const counts = []
          for (let turn = 0; turn < 2; turn++) {
            const { claimed, last } = yield* claim(owners, { max: 2, after })
            counts.push(claimed.length)
            after = turnsAfter(after, claimed, last)
          }
          assert.include(counts, 1)
        })
      )

      it.effect(
        "lets the organizations take turns, however many workspaces one has and however long their queues are",
        () =>
          Effect.gen(function* () {
            const owners = (yield* organizations([9, 9, 9], [1], [3])).flat()
            assert.deepStrictEqual((yield* claim(owners, { max: 9 })).counts, [2, 2, 1, 1, 3])
            assert.deepStrictEqual((yield* claim(owners, { max: 9 })).counts, [3, 3, 3, 0, 0])
            const many = (yield* organizations(
              Array.from({ length: 30 }, () => 1),
              [1]
            )).flat()
            assert.strictEqual((yield* claim(many, { max: 2 })).counts.at(-1), 1)
          })
      )

      it.effect("lets the workspaces of an organization take turns, however long the queue of one is", () =>
        Effect.gen(function* () {
          const owners = yield* workspaces(anId(OrganizationId), 40, 1, 3)
          assert.deepStrictEqual((yield* claim(owners, { max: 9 })).counts, [5, 1, 3])
          assert.deepStrictEqual((yield* claim(owners, { max: 9 })).counts, [9, 0, 0])
        })
      )

      it.effect("goes on in each organization behind the workspace that had its turn last, and round again", () =>
        Effect.gen(function* () {
          const owners = (yield* organizations([2, 2, 2], [2, 2])).flat()
          const first = yield* claim(owners, { max: 4 })
          assert.deepStrictEqual(first.counts, [1, 1, 0, 1, 1])
          assert.deepStrictEqual([...first.last.workspaces], [[owners[0]!.organizationId, owners[1]!.workspaceId]])
          const second = yield* claim(owners, {
            max: 2,
            after: { ...startAt(owners), workspaces: first.last.workspaces }
          })
          assert.deepStrictEqual(second.counts, [0, 0, 1, 1, 0])
          assert.strictEqual(second.last.workspaces.get(owners[3]!.organizationId), owners[3]!.workspaceId)
          const third = yield* claim(owners, {
            max: 2,
            after: { ...startAt(owners), workspaces: second.last.workspaces }
          })
          assert.deepStrictEqual(third.counts, [1, 0, 0, 0, 1])
          const fourth = yield* claim(owners, { max: 9, after: third.last })
          assert.deepStrictEqual(fourth.counts, [0, 1, 1, 0, 0])
          assert.strictEqual(fourth.last.workspaces.size, 0)
        })
      )

      it.effect("gives no workspace and no organization more than its share", () =>
        Effect.gen(function* () {
          const owners = (yield* organizations([5, 5, 5], [5, 5], [5])).flat()
          const [one, other, closed] = [owners[0]!, owners[3]!, owners[5]!].map(({ organizationId }) => organizationId)
          const shares = {
            organizations: new Map([
              [one!, { runs: 1_000, perWorkspace: 3 }],
              [other!, { runs: 3, perWorkspace: 2 }],
              [closed!, { runs: 0, perWorkspace: 5 }]
            ]),
            others: { runs: 0, perWorkspace: 0 },
            workspaces: new Map([
              [owners[0]!.workspaceId, 1],
              [owners[1]!.workspaceId, 0]
            ])
          }
          assert.deepStrictEqual((yield* claim(owners, { shares, max: 100 })).counts, [1, 0, 3, 2, 1, 0])
        })
      )

      it.effect(
        "keeps no run waiting for the long ones of another organization, however many workspaces that has",
        () =>
          Effect.gen(function* () {
            const slots = 20
            const [hogs, [guest]] = [
              yield* workspaces(anId(OrganizationId), ...Array.from({ length: 12 }, () => 4)),
              yield* workspaces(anId(OrganizationId), 1)
            ]
            const held: Array<Owner> = []
            const fill = (owners: ReadonlyArray<Owner>) =>
              Effect.gen(function* () {
                const free = slots - held.length
                const { others, ...shares } = sharesOf(held, { max: slots, free })
                const mine = owners.map(
                  ({ organizationId: id }) => [id, shares.organizations.get(id) ?? others] as const
                )
                const none = { runs: 0, perWorkspace: 0 }
                const { claimed } = yield* claim(owners, {
                  max: free,
                  shares: { ...shares, organizations: new Map(mine), others: none }
                })
                held.push(...claimed.map(({ run }) => run))
                return claimed.length
              })
            while ((yield* fill(hogs)) > 0);
            assert.isAtLeast(held.length, 17)
            assert.strictEqual(yield* fill([...hogs, guest!]), 1)
            assert.strictEqual(held.at(-1)?.workspaceId, guest!.workspaceId)
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
            const shares = sharesOnlyFor([mine], 1)
            assert.deepStrictEqual(idsOf(yield* claimInWorkspaceOf(low.first, { shares })), [id])
          }
          assert.strictEqual((yield* stored(urgent.first))?.status, "queued")
        })
      )

      it.effect("hands no run to two of many who claim all the time", () =>
        Effect.gen(function* () {
          const owners = (yield* organizations([30], [15, 15])).flat()
          const shares = sharesOnlyFor(owners, 3)
          const worker = Effect.gen(function* () {
            const taken: Array<string> = []
            while (true) {
              const { claimed } = yield* claim(owners, { shares, max: 5 })
              if (claimed.length === 0) return taken
              taken.push(...idsOf(claimed))
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
          yield* atomic(RunQueue.use((store) => store.wakeScheduled))
          assert.isEmpty(yield* claimInWorkspaceOf(first))
          assert.deepStrictEqual(idsOf(yield* claimInWorkspaceOf(due.first)), [due.first.id])
        })
      )

      it.effect("lets a run go when its time comes while it waits", () =>
        Effect.gen(function* () {
          const soon = DateTime.add(yield* DateTime.now, { milliseconds: 150 })
          const { first } = yield* givenRuns(1, { runAt: soon })
          let claimed: ReadonlyArray<string> = []
          while (claimed.length === 0) {
            yield* atomic(RunQueue.use((store) => store.wakeScheduled))
            claimed = idsOf(yield* claimInWorkspaceOf(first))
            const isEarly = DateTime.isLessThan(yield* DateTime.now, DateTime.subtract(soon, { milliseconds: 50 }))
            if (isEarly) assert.isEmpty(claimed)
          }
          assert.deepStrictEqual(claimed, [first.id])
        })
      )

      it.effect("marks a running run as to be cancelled, once, and reports it to its holder", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const request = atomic(RunSettlement.use((store) => store.requestCancel(first.id)))
          assert.isUndefined(yield* request)
          const [claimed] = yield* claimInWorkspaceOf(first)
          const { claimToken, run } = claimed!
          const requestedAt = yield* request
          assert.isDefined(requestedAt)
          assert.deepStrictEqual(yield* request, requestedAt)
          const renewed = yield* RunQueue.use((store) => store.renew([claimToken], { leaseSeconds: 3_600 }))
          assert.deepStrictEqual(renewed.get(claimToken), requestedAt)
          const held = yield* atomic(RunSettlement.use((store) => store.hold([{ runId: run.id, claimToken }])))
          assert.deepStrictEqual(held.get(run.id)?.cancelRequestedAt, requestedAt)
          yield* settle(claimToken, Run.cancelled({ ...run, cancelRequestedAt: requestedAt! }, at(7)))
          assert.isUndefined(yield* request)
          assert.deepInclude(yield* stored(first), { status: "cancelled", cancelRequestedAt: requestedAt })
        })
      )

      it.effect("finds a run that goes on although it was to be cancelled, once the grace is over", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const [claimed] = yield* claimInWorkspaceOf(first)
          const overdue = (graceSeconds: number) =>
            Effect.map(atomic(RunQueue.use((store) => store.overdue({ max: 1_000, graceSeconds }))), (held) =>
              has(held, first.id)
            )
          assert.isFalse(yield* overdue(0))
          yield* atomic(RunSettlement.use((store) => store.requestCancel(first.id)))
          assert.isFalse(yield* overdue(3_600))
          assert.isTrue(yield* overdue(0))
          yield* settle(claimed!.claimToken, succeeded(claimed!.run))
          assert.isFalse(yield* overdue(0))
        })
      )

      it.effect(
        "leaves a claimed run to its agent, for so long and under the same claim, and renews nothing of it",
        () =>
          Effect.gen(function* () {
            const { first } = yield* givenRuns(1)
            const [claimed] = yield* claimInWorkspaceOf(first, { leaseSeconds: 0 })
            const { claimToken, run } = claimed!
            const lapsed = Effect.map(atomic(RunQueue.use((store) => store.lapsed({ max: 1_000 }))), (held) =>
              has(held, first.id)
            )
            const leave = (token: string, seconds: number) =>
              atomic(
                RunSettlement.use((store) => store.awaitCallback({ runId: run.id, claimToken: token }, { seconds }))
              )
            assert.isTrue(yield* lapsed)
            assert.isFalse(yield* leave("00000000-0000-4000-8000-000000000000", 3_600))
            assert.isTrue(yield* leave(claimToken, 3_600))
            assert.isFalse(yield* lapsed)
            assert.isNotNull((yield* stored(first))?.callbackUntil)
            assert.strictEqual((yield* RunQueue.use((store) => store.renew([claimToken], { leaseSeconds: 0 }))).size, 0)
            assert.isFalse(yield* lapsed)
            assert.isTrue(yield* leave(claimToken, 0))
            assert.isTrue(yield* lapsed)
            assert.strictEqual((yield* settle(claimToken, succeeded(run))).size, 1)
            assert.deepInclude(yield* stored(first), { status: "succeeded", callbackUntil: null })
            assert.isFalse(yield* leave(claimToken, 3_600))
          })
      )

      it.effect("lets nobody else find a lost run while it is being recovered", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1, { maxAttempts: 100 })
          yield* claimInWorkspaceOf(first, { leaseSeconds: 0 })
          const recover = atomic(
            Effect.gen(function* () {
              const queue = yield* RunQueue
              const settlement = yield* RunSettlement
              const mine = (yield* queue.lapsed({ max: 1_000 })).filter(({ run }) => run.id === first.id)
              yield* Effect.yieldNow
              yield* settlement.settle(mine.map(({ claimToken, run }) => ({ claimToken, run: Run.lost(run, at(9)) })))
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
