/** How much of each kind a tenant may hold. `docs/limits.md` lists them with their settings. */
import { Context, Record, Schema } from "effect"

/** The quotas that refuse a creation with `QuotaExceeded`. */
export const QuotaName = Schema.Literals([
  "workspaces",
  "members",
  "agents",
  "api_keys",
  "temporary_keys",
  "tool_secrets",
  "schedules",
  "webhook_endpoints",
  "erasures",
  "templates"
])
export type QuotaName = typeof QuotaName.Type

/** Quotas of a tenant, each a number of resources. */
export interface QuotaLimits extends Readonly<Record<QuotaName, number>> {
  /** Provider keys of a workspace. One more is refused by an error of its own, `ProviderKeyLimitReached`. */
  readonly provider_keys: number
  /** Notices that a workspace, and an organization for all of its workspaces, keeps: the oldest go first. */
  readonly notices: number
}

/** The quotas of a deployment that sets none. */
export const DEFAULT_QUOTAS: QuotaLimits = {
  workspaces: 1_000,
  members: 1_000,
  agents: 1_000,
  api_keys: 1_000,
  temporary_keys: 1_000,
  provider_keys: 100,
  tool_secrets: 100,
  schedules: 1_000,
  webhook_endpoints: 100,
  erasures: 100,
  templates: 100,
  notices: 10_000
}

/** The quotas of an operator, who is bound by none. */
export const NO_QUOTAS: QuotaLimits = Record.map(DEFAULT_QUOTAS, () => Number.MAX_SAFE_INTEGER)

/** The quotas in force. */
export const Quotas = Context.Reference<QuotaLimits>("@agent-platform/kernel/Quotas", {
  defaultValue: () => DEFAULT_QUOTAS
})

/** The workspace or the organization holds as many resources of this kind as it may. */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  quota: QuotaName,
  /** The holder of the quota. */
  of: Schema.Literals(["workspace", "organization"]),
  limit: Schema.Int
}) {}
