/** The parts that usage is shown by, in the address and in words. */
import type { BillingGroup } from "@agent-platform/client"
import type { Grouping, UsageOf } from "../../api/usage.ts"

const MODEL = { value: "model", label: "Model" } as const

const OF_ALL = [
  MODEL,
  { value: "provider", label: "Provider" },
  { value: "agent_id", label: "Agent" },
  { value: "key_source", label: "Whose key" }
] as const

/** The choices; the first unless the address names another. */
export const GROUPINGS: Readonly<Record<UsageOf, ReadonlyArray<{ readonly value: Grouping; readonly label: string }>>> =
  {
    workspace: OF_ALL,
    organization: [{ value: "workspace_id", label: "Workspace" }, ...OF_ALL]
  }

const OTHERS: Readonly<Record<Grouping, string>> = {
  model: "other models",
  provider: "other providers",
  agent_id: "other agents",
  key_source: "other keys",
  workspace_id: "other workspaces"
}

/** How the parts beyond the dearest are called together. */
export const othersOf = (by: Grouping): string => OTHERS[by]

const WHOSE = { byok: "Keys of one's own", platform: "The platform's keys" } as const

/** A part's identity and its name; undefined for those that the API has put together as others. Names need not be unique. */
export const partOf = (
  group: BillingGroup,
  by: Grouping
): { readonly id: string; readonly label: string } | undefined => {
  const id = group[by]
  if (id === null || id === undefined) return undefined
  switch (by) {
    case "workspace_id":
      return { id, label: group.workspace_name ?? id.slice(-8) }
    case "agent_id":
      return { id, label: group.agent_name ?? id.slice(-8) }
    case "key_source":
      return { id, label: id === "byok" || id === "platform" ? WHOSE[id] : id }
    default:
      return { id, label: id }
  }
}

const COLUMNS: Readonly<Record<Grouping, ReadonlyArray<keyof BillingGroup>>> = {
  model: ["model"],
  provider: ["provider"],
  agent_id: ["agent_id", "agent_name"],
  key_source: ["key_source"],
  workspace_id: ["workspace_id", "workspace_name"]
}

/** The columns of a file that tell its parts apart. */
export const columnsOf = (by: ReadonlyArray<Grouping>): ReadonlyArray<keyof BillingGroup> =>
  by.flatMap((one) => COLUMNS[one])
