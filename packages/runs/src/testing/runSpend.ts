import { firstIdAt, UnitOfWork } from "@agent-platform/kernel"
import { anId, aTenant, type Tenant } from "@agent-platform/kernel/testing"
import { assert, type Vitest } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { RunId } from "../Run.ts"
import { anAgent, aRun, aSession } from "./builders.ts"
import type { RunStores } from "./givenRuns.ts"

const NOVEMBER = {
  start: DateTime.makeUnsafe("2026-10-31T18:30:00.000Z"),
  end: DateTime.makeUnsafe("2026-11-30T18:30:00.000Z")
}

/** A new id of a run that was made then. */
const idAt = (at: DateTime.Utc) => RunId.make(firstIdAt(at).slice(0, 13) + anId(RunId).slice(13))

/** Stores one run for each of the costs, made at that time. */
const given = (tenant: Tenant, costs: ReadonlyArray<readonly [DateTime.Utc, string]>) =>
  UnitOfWork.use((unit) =>
    unit.atomic(
      Effect.gen(function* () {
        const agent = anAgent(tenant)
        const session = aSession(agent)
        yield* AgentStore.use((agents) => agents.insert(agent))
        yield* SessionStore.use((sessions) => sessions.insert(session))
        const runs = costs.map(([createdAt, costUsd]) =>
          aRun(agent, session, { id: idAt(createdAt), createdAt, costUsd, status: "succeeded", finishedAt: createdAt })
        )
        yield* Effect.forEach(runs, (run) => RunStore.use((store) => store.insert(run)), { discard: true })
      })
    )
  )

const spent = ({ workspaceId }: Tenant) => RunStore.use((store) => store.spent(workspaceId, NOVEMBER))

/** What the runs of a period have cost. */
export const spendCases = (it: Vitest.MethodsNonLive<RunStores>) => {
  it.effect("adds up what the runs of a workspace have cost, to the last decimal", () =>
    Effect.gen(function* () {
      const tenant = yield* aTenant()
      assert.strictEqual(yield* spent(tenant), "0.00")
      const { start } = NOVEMBER
      yield* given(tenant, [
        [start, "0.10"],
        [start, "0.20"],
        [start, "0.000000000001"],
        [start, "12345678.90"]
      ])
      assert.strictEqual(yield* spent(tenant), "12345679.200000000001")
    })
  )

  it.effect("counts a run for the period in which it was made: from its start on and before its end", () =>
    Effect.gen(function* () {
      const tenant = yield* aTenant()
      const { end, start } = NOVEMBER
      yield* given(tenant, [
        [DateTime.subtract(start, { milliseconds: 1 }), "1.00"],
        [start, "2.00"],
        [DateTime.subtract(end, { milliseconds: 1 }), "4.00"],
        [end, "8.00"]
      ])
      assert.strictEqual(yield* spent(tenant), "6.00")
    })
  )

  it.effect("counts no run of another workspace, not even of the same organization", () =>
    Effect.gen(function* () {
      const tenant = yield* aTenant()
      const { organizationId } = tenant
      yield* given(yield* aTenant({ organizationId }), [[NOVEMBER.start, "1.00"]])
      yield* given(yield* aTenant(), [[NOVEMBER.start, "2.00"]])
      yield* given(tenant, [[NOVEMBER.start, "4.00"]])
      assert.strictEqual(yield* spent(tenant), "4.00")
    })
  )
}
