/** The answer to a creation beyond a quota. docs/limits.md lists them. */
import { Conflict } from "@agent-platform/contract"
import type { QuotaExceeded, QuotaName } from "@agent-platform/kernel"
import { Effect } from "effect"

const HELD: Readonly<Record<QuotaName, string>> = {
  workspaces: "The organization has",
  members: "The organization has",
  agents: "The workspace has",
  api_keys: "The workspace, or the organization for itself, has",
  webhook_endpoints: "The organization has"
}

/** For `Effect.catchTags`. */
export const quotaProblems = {
  QuotaExceeded: ({ limit, quota }: QuotaExceeded) =>
    Effect.fail(
      new Conflict({
        code: "quota_exceeded",
        detail: `${HELD[quota]} ${limit} ${quota.replace("_", " ")}, which is all it may have`
      })
    )
}
