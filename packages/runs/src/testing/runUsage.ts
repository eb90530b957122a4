import { atomic, WorkspaceId } from "@agent-platform/kernel"
import { anId, aTenant } from "@agent-platform/kernel/testing"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { RunSettlement } from "../ports/RunSettlement.ts"
import { NO_USAGE, type Run } from "../Run.ts"
import { claimInWorkspaceOf, givenRuns, type RunStores, settle, stored, succeeded } from "./givenRuns.ts"

const USAGE = { inputTokens: 100, cacheReadTokens: 40, cacheWriteTokens: 10, outputTokens: 20, reasoningTokens: 5 }

const add = ({ id, workspaceId }: Pick<Run, "id" | "workspaceId">, costUsd: string | null, usage = USAGE) =>
  atomic(RunSettlement.use((store) => store.addUsage(workspaceId, id, { usage, costUsd })))

/** Cases about a run's costs, during its execution and afterwards. */
export const usageCases = (it: Vitest.MethodsNonLive<RunStores>) => {
  it.effect("adds up the tokens and the cost of a run's model calls, to the last decimal", () =>
    Effect.gen(function* () {
      const { first } = yield* givenRuns(1)
      yield* add(first, "0.10")
      yield* add(first, "12345678.000000000001")
      assert.deepInclude(yield* stored(first), {
        costUsd: "12345678.100000000001",
        usage: {
          requests: 2,
          inputTokens: 200,
          cacheReadTokens: 80,
          cacheWriteTokens: 20,
          outputTokens: 40,
          reasoningTokens: 10
        }
      })
    })
  )

  it.effect("counts a call whose price nobody knows, without a cost", () =>
    Effect.gen(function* () {
      const { first } = yield* givenRuns(1)
      yield* add(first, null)
      assert.deepInclude(yield* stored(first), { costUsd: "0.00", usage: { requests: 1, ...USAGE } })
    })
  )

  it.effect("adds up calls that end at the same moment", () =>
    Effect.gen(function* () {
      const { first } = yield* givenRuns(1)
      yield* Effect.forEach(Array.from({ length: 12 }), () => add(first, "0.01"), { concurrency: "unbounded" })
      const run = yield* stored(first)
      assert.deepStrictEqual([run?.costUsd, run?.usage.requests], ["0.12", 12])
    })
  )

  it.effect(
    "keeps what a run has cost when its outcome is written from an older copy, and reports it to its holder",
    () =>
      Effect.gen(function* () {
        const { first } = yield* givenRuns(1)
        const [claimed] = yield* claimInWorkspaceOf(first)
        const { claimToken, run } = claimed!
        yield* add(first, "0.25")
        const held = yield* atomic(RunSettlement.use((store) => store.hold([{ runId: run.id, claimToken }])))
        const facts = { cancelRequestedAt: null, costUsd: "0.25", usage: { requests: 1, ...USAGE } }
        assert.deepStrictEqual(held.get(run.id), facts)
        yield* settle(claimToken, succeeded(run))
        assert.deepInclude(yield* stored(first), { status: "succeeded", costUsd: "0.25", usage: facts.usage })
      })
  )

  it.effect("lets a run that has ended become dearer, and nothing else of it change", () =>
    Effect.gen(function* () {
      const { first } = yield* givenRuns(1)
      const [claimed] = yield* claimInWorkspaceOf(first)
      yield* settle(claimed!.claimToken, succeeded(claimed!.run))
      const before = yield* stored(first)
      yield* add(first, "0.50")
      assert.deepStrictEqual(yield* stored(first), { ...before!, costUsd: "0.50", usage: { requests: 1, ...USAGE } })
    })
  )

  it.effect("adds nothing to a run of another workspace, nor in a transaction that fails", () =>
    Effect.gen(function* () {
      const { first } = yield* givenRuns(1)
      const settlement = yield* RunSettlement
      const { workspaceId } = yield* aTenant()
      yield* add({ id: first.id, workspaceId }, "1.00")
      yield* add({ id: first.id, workspaceId: anId(WorkspaceId) }, "1.00")
      const added = settlement.addUsage(first.workspaceId, first.id, { usage: USAGE, costUsd: "1.00" })
      yield* Effect.exit(atomic(Effect.andThen(added, Effect.fail("no"))))
      assert.deepInclude(yield* stored(first), { costUsd: "0.00", usage: NO_USAGE })
    })
  )
}
