import type { WorkspaceId } from "@agent-platform/kernel"
import { Effect } from "effect"
import { AgentNames } from "../../ports/AgentNames.ts"
import type { ReadWorkspace } from "../../ports/WorkspaceCalendars.ts"
import type { GroupKey, UsageDimension } from "../../UsageGroups.ts"
import { idsOf } from "./readingOf.ts"

/** A key of a group. `name` is that of the agent or the workspace; null where it is gone, and for all other dimensions. */
export interface NamedKey {
  readonly by: UsageDimension
  readonly key: string | null
  readonly name: string | null
}

/** A group with names for people. */
export type Named<Group extends GroupKey> = Omit<Group, "keys"> & { readonly keys: ReadonlyArray<NamedKey> }

/** Looks up the names of agents and workspaces in these groups, and returns a function that adds them to a group. */
export const namesIn = Effect.fnUntraced(function* (
  workspaces: ReadonlyArray<ReadWorkspace>,
  groupBy: ReadonlyArray<UsageDimension>,
  groups: ReadonlyArray<GroupKey>
) {
  const agentAt = groupBy.indexOf("agent_id")
  const agentIds = [...new Set(groups.flatMap(({ keys }) => keys[agentAt] ?? []))]
  const agents: ReadonlyMap<string, string> =
    agentIds.length === 0 ? new Map() : yield* AgentNames.use((names) => names.read(idsOf(workspaces), agentIds))
  const ofWorkspaces = new Map(workspaces.map(({ name, workspaceId }) => [workspaceId, name]))
  const nameOf = (by: UsageDimension, key: string | null): string | null => {
    if (key === null) return null
    if (by === "agent_id") return agents.get(key) ?? null
    return by === "workspace_id" ? (ofWorkspaces.get(key as WorkspaceId) ?? null) : null
  }
  return <Group extends GroupKey>({ keys, ...group }: Group): Named<Group> => ({
    ...group,
    keys: groupBy.map((by, place) => {
      const key = keys[place] ?? null
      return { by, key, name: nameOf(by, key) }
    })
  })
})
