import type { TemplateSpread } from "@agent-platform/client"
import { count } from "../../ui/numbers.ts"
import { Status } from "../../ui/Status.tsx"

/** How far the latest version of a template has come. */
export const Spread = ({ ended_at, workspaces_done, workspaces_total }: TemplateSpread) => (
  <Status
    tone={ended_at === null ? "busy" : "good"}
    word={`${count(workspaces_done)} of ${count(workspaces_total)} workspaces`}
  />
)
