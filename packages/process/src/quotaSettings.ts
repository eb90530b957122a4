/** Settings of the quotas that every tenant has. docs/limits.md lists them. */
import { DEFAULT_QUOTAS, type QuotaLimits } from "@agent-platform/kernel"
import { type Setting, wholeSetting } from "./Setting.ts"

const QUOTA_MAX = 1_000_000

const quota = (name: keyof QuotaLimits, variable: string, decides: string): Setting<number> =>
  wholeSetting(variable, decides, [1, QUOTA_MAX], DEFAULT_QUOTAS[name])

/** One setting for each quota. */
export const QUOTA_SETTINGS: Readonly<Record<keyof QuotaLimits, Setting<number>>> = {
  workspaces: quota("workspaces", "WORKSPACES_MAX", "Most workspaces of an organization."),
  members: quota("members", "MEMBERS_MAX", "Most members of an organization, invited ones included."),
  agents: quota("agents", "AGENTS_MAX", "Most agents of a workspace that are not deleted."),
  api_keys: quota(
    "api_keys",
    "API_KEYS_MAX",
    "Most API keys of a workspace, and of an organization for itself, that are neither revoked nor expired."
  ),
  temporary_keys: quota(
    "temporary_keys",
    "TEMPORARY_KEYS_MAX",
    "Most browser keys of a workspace, and most webhook grants of an organization, that are neither revoked nor expired."
  ),
  provider_keys: quota("provider_keys", "PROVIDER_KEYS_MAX", "Most provider keys of a workspace that are not revoked."),
  tool_secrets: quota("tool_secrets", "TOOL_SECRETS_MAX", "Most tool secrets of a workspace."),
  schedules: quota("schedules", "SCHEDULES_MAX", "Most schedules of a workspace, enabled or not."),
  webhook_endpoints: quota(
    "webhook_endpoints",
    "WEBHOOK_ENDPOINTS_MAX",
    "Most webhook endpoints of an organization that are not deleted; at most ten of them are active."
  ),
  erasures: quota("erasures", "ERASURES_MAX", "Most erasures of an organization that have not ended."),
  templates: quota("templates", "TEMPLATES_MAX", "Most templates of an organization."),
  notices: quota(
    "notices",
    "NOTICES_MAX",
    "Most notices that a workspace keeps, and an organization for all of its workspaces; the oldest go first."
  )
}
