/** The ports of analytics that other domains fulfil. */
import { Analytics, RunHistory, WorkspaceCalendars } from "@agent-platform/billing"
import { spendMonthAt, spendMonthNamed, TenancyStore } from "@agent-platform/keys"
import { RunId, RunOutcomes, RunReader } from "@agent-platform/runs"
import { Effect, Layer } from "effect"
import { layerWorkspaceCaps } from "./bridges.ts"

/** The calendars of workspaces are those that their organization sees, also once one is erased: its calls are still counted. */
export const layerWorkspaceCalendars: Layer.Layer<WorkspaceCalendars, never, TenancyStore> = Layer.effect(
  WorkspaceCalendars,
  Effect.map(TenancyStore, (tenancy) => ({
    read: (organizationId, workspaceId) =>
      Effect.map(
        tenancy.findKeptWorkspace(organizationId, workspaceId),
        (workspace) =>
          workspace && {
            monthAt: (at) => spendMonthAt(workspace, at),
            monthNamed: (name) => spendMonthNamed(workspace, name)
          }
      )
  }))
)

/** The runs that calls are made for are those of the platform. */
export const layerRunHistory: Layer.Layer<RunHistory, never, RunOutcomes | RunReader> = Layer.effect(
  RunHistory,
  Effect.gen(function* () {
    const outcomes = yield* RunOutcomes
    const runs = yield* RunReader
    return RunHistory.of({
      ended: outcomes.ended,
      find: (workspaceId, runId) => runs.find(workspaceId, RunId.make(runId))
    })
  })
)

/** The ports of roll-ups that other domains fulfil. */
export const layerRollUpBridges = Layer.merge(layerRunHistory, layerWorkspaceCalendars)

/** Analytics with the workspaces and runs of this platform. */
export const layerAnalytics = Layer.provide(Analytics.layer, Layer.merge(layerRollUpBridges, layerWorkspaceCaps))
