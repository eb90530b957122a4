/** Quotas count the rows of a tenant before another is made: indexes of those that count, without archived and deleted ones. */
import { statements } from "./statements.ts"

export const quotas = statements([
  `create index api_key_live on api_key (organization_id, workspace_id, (coalesce(expires_at, 'infinity')))
    where revoked_at is null`,
  "create index agent_live on agent (workspace_id, id) where archived_at is null",
  "create index webhook_endpoint_kept on webhook_endpoint (organization_id, id) where status <> 'deleted'"
])
