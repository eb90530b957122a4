/** Ports of analytics, implemented by other domains. */
import { AgentNames, Analytics, type ReadWorkspace, RunSummaries, WorkspaceCalendars } from "@agent-platform/billing"
import { spendMonthAt, spendMonthNamed, TenancyStore, type Workspace } from "@agent-platform/keys"
import { AgentId, AgentStore, RunId, RunOutcomes, RunReader } from "@agent-platform/runs"
import { DateTime, Effect, Layer } from "effect"
import { layerWorkspaceCaps } from "./bridges.ts"

/** How many workspaces are read at a time. */
const PAGE = 1_000

const asReadWorkspace = (workspace: Workspace): ReadWorkspace => ({
  workspaceId: workspace.id,
  name: workspace.name,
  calendar: {
    zones:
      workspace.nextTimezone === null
        ? workspace.timezone
        : `${workspace.timezone} ${workspace.nextTimezone.timezone} ${DateTime.formatIso(workspace.nextTimezone.from)}`,
    monthAt: (at) => spendMonthAt(workspace, at),
    monthNamed: (name) => spendMonthNamed(workspace, name)
  }
})

/** The calendars of workspaces, by the time zones that tenancy keeps. An erased workspace has one too, because its calls still count. */
export const layerWorkspaceCalendars: Layer.Layer<WorkspaceCalendars, never, TenancyStore> = Layer.effect(
  WorkspaceCalendars,
  Effect.map(TenancyStore, (tenancy) => ({
    read: (organizationId, workspaceId) =>
      Effect.map(
        tenancy.findKeptWorkspace(organizationId, workspaceId),
        (workspace) => workspace && asReadWorkspace(workspace)
      ),
    all: Effect.fnUntraced(function* (organizationId, since) {
      const all: Array<ReadWorkspace> = []
      let before: string | undefined
      do {
        const page: { readonly items: ReadonlyArray<Workspace>; readonly next: string | undefined } =
          yield* tenancy.listKeptWorkspaces(organizationId, since, { before, limit: PAGE })
        all.push(...page.items.map(asReadWorkspace))
        before = page.next
      } while (before !== undefined)
      return all
    })
  }))
)

/** The names of agents, from the platform's agents. */
const layerAgentNames: Layer.Layer<AgentNames, never, AgentStore> = Layer.effect(
  AgentNames,
  Effect.map(AgentStore, (agents) => ({
    read: (workspaceIds, ids) =>
      agents.names(
        workspaceIds,
        ids.map((id) => AgentId.make(id))
      )
  }))
)

/** When runs were and how they ended, from the platform's runs. */
export const layerRunSummaries: Layer.Layer<RunSummaries, never, RunOutcomes | RunReader> = Layer.effect(
  RunSummaries,
  Effect.gen(function* () {
    const outcomes = yield* RunOutcomes
    const runs = yield* RunReader
    return RunSummaries.of({
      countEnded: outcomes.countEnded,
      find: (workspaceId, runId) => runs.find(workspaceId, RunId.make(runId))
    })
  })
)

/** The ports of roll-ups that other domains implement. */
export const layerRollUpBridges = Layer.merge(layerRunSummaries, layerWorkspaceCalendars)

/** Analytics with the workspaces and runs of this platform. */
export const layerAnalytics = Layer.provide(
  Analytics.layer,
  Layer.mergeAll(layerRollUpBridges, layerWorkspaceCaps, layerAgentNames)
)
