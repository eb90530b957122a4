import type { WorkspaceId } from "@agent-platform/kernel"
import { Effect } from "effect"
import { AgentNames } from "../../ports/AgentNames.ts"
import type { ReadWorkspace } from "../../ports/WorkspaceCalendars.ts"
import type { GroupKey, UsageDimension } from "../../UsageGroups.ts"
import { idsOf } from "./readingOf.ts"

/** A part of what a group is. `name` is that of an agent or a workspace; null where it is gone, and for everything else. */
export interface NamedKey {
  readonly by: UsageDimension
  readonly key: string | null
  readonly name: string | null
}

/** A group with the names that people know it by. */
export type Named<Group extends GroupKey> = Omit<Group, "keys"> & { readonly keys: ReadonlyArray<NamedKey> }

/** Finds the names of agents and workspaces in groups by these dimensions. */
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
