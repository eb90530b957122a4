/** The problem of a creation beyond a quota. docs/limits.md lists the quotas. */
import { Conflict } from "@agent-platform/contract"
import type { QuotaExceeded, QuotaName } from "@agent-platform/kernel"
import { QUOTA_SETTINGS } from "@agent-platform/process"

/** The names of the counted things for callers, and the remedies. */
const KINDS: Readonly<Record<QuotaName | "provider_keys", { readonly things: string; readonly remedy: string }>> = {
  workspaces: { things: "workspaces", remedy: "Erase some, or ask" },
  members: { things: "members", remedy: "Remove some, or ask" },
  agents: { things: "agents", remedy: "Delete some, or ask" },
  api_keys: { things: "API keys", remedy: "Revoke some, or ask" },
  temporary_keys: { things: "temporary keys", remedy: "Let some expire, or ask" },
  provider_keys: { things: "provider keys", remedy: "Revoke some, or ask" },
  schedules: { things: "schedules", remedy: "Delete some, or ask" },
  tool_secrets: { things: "tool secrets", remedy: "Delete some, or ask" },
  webhook_endpoints: { things: "webhook endpoints", remedy: "Delete some, or ask" },
  erasures: { things: "erasures that have not ended", remedy: "Wait for their end, or ask" },
  templates: { things: "templates", remedy: "Delete some, or ask" }
}

/** A text about a quota that is used up: whose it is, and the remedy. */
export const quotaDetail = (quota: keyof typeof KINDS, of: QuotaExceeded["of"], limit: number): string => {
  const { remedy, things } = KINDS[quota]
  const { variable } = QUOTA_SETTINGS[quota]
  return `The ${of} has ${limit} ${things}, which is all it may have. ${remedy} the operator to raise ${variable}`
}

/** The problem of an exceeded quota, for `Effect.catchTags`. */
export const quotaProblems = {
  QuotaExceeded: ({ limit, of, quota }: QuotaExceeded) =>
    new Conflict({ code: "quota_exceeded", detail: quotaDetail(quota, of, limit) })
}
