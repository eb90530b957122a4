import { atomic } from "@agent-platform/kernel"
import { addDistributions, bucketOf } from "@agent-platform/toolkit"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { type OutcomeCount, RunOutcomes } from "../ports/RunOutcomes.ts"
import { RunSettlement } from "../ports/RunSettlement.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { Run } from "../Run.ts"
import { asking, at, claimInWorkspaceOf, givenRuns, type RunStores, settle, succeeded } from "./givenRuns.ts"

/** A mark beyond every transaction. */
const ALL = 2n ** 62n

/** Reads all counts after a position, `limit` at a time, and returns them with the last position. */
const readOn = (after: string | undefined, limit: number) =>
  Effect.gen(function* () {
    const outcomes = yield* RunOutcomes
    const cells: Array<OutcomeCount> = []
    let place = after
    while (true) {
      const portion = yield* outcomes.countEnded({ after: place, before: ALL, limit })
      cells.push(...portion.cells)
      place = portion.next
      if (portion.reached === ALL) return { cells, place }
    }
  })

const ofWorkspace = (cells: ReadonlyArray<OutcomeCount>, { workspaceId }: Pick<Run, "workspaceId">) =>
  cells
    .filter((cell) => cell.workspaceId === workspaceId)
    .reduce(
      (sum, cell) => ({
        succeeded: sum.succeeded + cell.succeeded,
        paused: sum.paused + cell.paused,
        failed: sum.failed + cell.failed,
        cancelled: sum.cancelled + cell.cancelled
      }),
      { succeeded: 0, paused: 0, failed: 0, cancelled: 0 }
    )

/** The latency of a run, computed from its own times. */
const latencyOf = ({ createdAt, finishedAt, runAt }: Run): number => {
  const [begun, end] = [DateTime.max(createdAt, runAt ?? createdAt), finishedAt ?? createdAt]
  return Math.max(0, DateTime.toEpochMillis(end) - DateTime.toEpochMillis(begun))
}

/** Claims the first due run in the workspace of `run`, and ends it. */
const end = (run: Run, becomes: (run: Run) => Run) =>
  Effect.gen(function* () {
    const [claimed] = yield* claimInWorkspaceOf(run)
    if (claimed === undefined) return assert.fail("No run is due")
    const ended = becomes(claimed.run)
    yield* settle(claimed.claimToken, ended)
    return ended
  })

/** The contract of every adapter that counts how runs ended. */
export const runOutcomesContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores | RunOutcomes, E>) =>
  describe(`run outcomes over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("counts every run that ended, once, however small the portions are", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(6)
          const begun = [
            yield* end(first, (run) => succeeded(run)),
            yield* end(first, asking),
            yield* end(first, (run) => Run.failed(run, "agent_error", "It broke", at(5))),
            yield* end(first, (run) => Run.cancelled(run, at(5)))
          ]
          // Neither of the last two was ever claimed.
          const waiting = yield* atomic(SessionRuns.use((store) => store.holdUnfinished(first.sessionId, 2)))
          for (const [index, { run }] of waiting.entries())
            yield* settle(null, index === 0 ? Run.cancelled(run, at(5)) : Run.expired(run, at(5)))
          const counts = { succeeded: 1, paused: 1, failed: 2, cancelled: 2 }
          for (const limit of [1, 2, 1_000]) {
            const { cells } = yield* readOn(undefined, limit)
            assert.deepStrictEqual(ofWorkspace(cells, first), counts)
            const [cell] = cells.filter(({ workspaceId }) => workspaceId === first.workspaceId)
            // The two unclaimed runs have no latency.
            const latency = cells
              .filter(({ workspaceId }) => workspaceId === first.workspaceId)
              .map((one) => one.latency)
              .reduce(addDistributions, {})
            const expected = begun.map((run) => ({ [bucketOf(latencyOf(run))]: 1 })).reduce(addDistributions)
            assert.deepStrictEqual(latency, expected)
            assert.deepInclude(cell, { organizationId: first.organizationId, agentId: first.agentId })
            assert.strictEqual(DateTime.toEpochMillis(cell?.at ?? at(0)) % 900_000, 0)
          }
        })
      )

      it.effect("counts no runs that wait, run, were handed back, or whose end was rolled back", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(2)
          const before = yield* readOn(undefined, 1_000)
          yield* end(first, (run) => Run.handedBack(run, at(5)))
          const [claimed] = yield* claimInWorkspaceOf(first)
          if (claimed === undefined) return assert.fail("No run is due")
          const { claimToken } = claimed
          const run = succeeded(claimed.run)
          yield* atomic(
            RunSettlement.use((store) => store.settle([{ claimToken, run }])).pipe(Effect.andThen(Effect.fail("no")))
          ).pipe(Effect.ignore)
          const after = yield* readOn(before.place, 1_000)
          assert.deepStrictEqual(ofWorkspace(after.cells, first), { succeeded: 0, paused: 0, failed: 0, cancelled: 0 })
          yield* settle(claimToken, run)
          const late = yield* readOn(after.place, 1_000)
          assert.strictEqual(ofWorkspace(late.cells, first).succeeded, 1)
        })
      )
    })
  })
