/** The readings that are measured, as the API asks for them. */
import {
  Analytics,
  type CellDimension,
  type ReadingOf,
  type UsageDimension,
  type UsageFilter
} from "@agent-platform/billing"
import type { WorkspaceCaller } from "@agent-platform/kernel"
import type { Effect } from "effect"
import { runIdOf } from "./ledger.ts"

/** The ledger that is asked. */
export interface BenchLedger {
  readonly caller: WorkspaceCaller
  readonly organization: ReadingOf
  readonly agentId: string
  readonly runs: ReadonlyArray<number>
}

/** Readings by their names. `round` varies what is asked for where it can. */
export type Readings = Readonly<
  Record<string, (ledger: BenchLedger, round: number) => Effect.Effect<unknown, unknown, Analytics>>
>

const NO_FILTER = { agentId: undefined, model: undefined, provider: undefined }
const NO_RANGE = { since: undefined, until: undefined }

const usage = (of: ReadingOf, groupBy: ReadonlyArray<UsageDimension> = [], filter = NO_FILTER as UsageFilter) =>
  Analytics.use((all) => all.readUsage({ of, ...NO_RANGE, filter, groupBy }))
const hourly = (of: ReadingOf) => Analytics.use((all) => all.readHourlyUsage({ of, ...NO_RANGE, filter: NO_FILTER }))
const billing = (of: ReadingOf, groupBy: ReadonlyArray<CellDimension> = []) =>
  Analytics.use((all) => all.readBillingMonth({ of, month: undefined, groupBy }))

/** Every reading of a workspace. */
export const READINGS: Readings = {
  usage: ({ caller }) => usage(caller),
  "usage by model": ({ caller }) => usage(caller, ["model"]),
  "usage by model and agent": ({ caller }) => usage(caller, ["model", "agent_id"]),
  "usage of an agent": ({ agentId, caller }) => usage(caller, [], { ...NO_FILTER, agentId }),
  "usage by tag": ({ caller }) => usage(caller, ["tag"]),
  "usage by metadata": ({ caller }) => usage(caller, ["metadata.customer"]),
  "usage by both": ({ caller }) => usage(caller, ["tag", "metadata.customer"]),
  hourly: ({ caller }) => hourly(caller),
  billing: ({ caller }) => billing(caller),
  "billing by model": ({ caller }) => billing(caller, ["model"]),
  "runs/{run_id}/costs": ({ caller, runs }, round) =>
    Analytics.use((all) => all.readRunCosts({ caller, runId: runIdOf(runs[round % runs.length] ?? 0) })),
  "runs/{run_id}/requests": ({ caller, runs }, round) =>
    Analytics.use((all) =>
      all.listRunRequests({
        caller,
        runId: runIdOf(runs[round % runs.length] ?? 0),
        page: { limit: 50, before: undefined }
      })
    )
}

/** The readings of an organization. */
export const ORGANIZATION_READINGS: Readings = {
  usage: ({ organization }) => usage(organization),
  "usage by workspace": ({ organization }) => usage(organization, ["workspace_id"]),
  "usage by tag": ({ organization }) => usage(organization, ["tag"]),
  hourly: ({ organization }) => hourly(organization),
  billing: ({ organization }) => billing(organization),
  "billing by model": ({ organization }) => billing(organization, ["model"]),
  "billing by workspace": ({ organization }) => billing(organization, ["workspace_id"])
}
