import type { ReachableWorkspace, TemplateWorkspace } from "@agent-platform/client"
import { CopyId } from "../../ui/Copy.tsx"
import { Status, type Tone } from "../../ui/Status.tsx"
import type { Column } from "../../ui/Table.tsx"

const FAULTS: Readonly<Record<NonNullable<TemplateWorkspace["fault"]>, readonly [tone: Tone, word: string]>> = {
  taken: ["bad", "Has another in its place"],
  quota_exceeded: ["bad", "Has as many as it may"],
  revoked: ["idle", "Revoked before"],
  conflict: ["bad", "Its own settings do not fit"]
}

/**
 * The state of a workspace's row of a template, in a word. `overridden` names the settings that are the workspace's own; `deleted` among
 * them says that it has deleted the row.
 */
export const partOf = (
  { fault, overridden, version }: Pick<TemplateWorkspace, "fault" | "overridden" | "version">,
  latest: number
): readonly [tone: Tone, word: string] => {
  if (fault !== null) return FAULTS[fault]
  if (overridden.includes("deleted")) return ["idle", "Has put it away"]
  if (version < latest) return ["busy", "Not reached yet"]
  return overridden.length === 0 ? ["good", "As the template"] : ["warn", "With its own"]
}

const State = ({ latest, part }: { readonly part: TemplateWorkspace; readonly latest: number }) => {
  const [tone, word] = partOf(part, latest)
  return <Status tone={tone} word={word} />
}

/** The columns of what the workspaces have of a template. */
export const workspaceColumns = (
  workspaces: ReadonlyArray<ReachableWorkspace>,
  latest: number
): ReadonlyArray<Column<TemplateWorkspace>> => {
  const names = new Map(workspaces.map(({ id, name }) => [id, name]))
  const own = ({ overridden }: TemplateWorkspace) => overridden.filter((member) => member !== "deleted").join(", ")
  return [
    {
      id: "workspace",
      title: "Workspace",
      width: "minmax(160px, 1fr)",
      cell: ({ workspace_id }) => names.get(workspace_id) ?? workspace_id
    },
    {
      id: "id",
      title: "Workspace's id",
      width: "110px",
      cell: ({ workspace_id }) => <CopyId id={workspace_id} label="workspace" />
    },
    { id: "state", title: "What it has", width: "220px", cell: (part) => <State part={part} latest={latest} /> },
    {
      id: "overridden",
      title: "Set for itself",
      width: "minmax(140px, 1fr)",
      cell: (part) => (
        <span className="text-muted" title={own(part)}>
          {own(part) || "–"}
        </span>
      )
    },
    { id: "version", title: "Version", width: "64px", numeric: true, cell: ({ version }) => version },
    {
      id: "resource",
      title: "Its id there",
      width: "100px",
      cell: ({ resource_id }) => (resource_id === null ? "–" : <CopyId id={resource_id} label="id" />)
    }
  ]
}
