/** The trace that a run belongs to, as a W3C `traceparent`, null where nobody records spans; and the counts of workspaces' requests. */
import { statements } from "./statements.ts"

export const edge = statements([
  `alter table run add column trace text check (length(trace) <= 256)`,

  // As api_key_rate is for keys: a row for each workspace that was called while workspaces are limited.
  `create unlogged table workspace_rate (
    organization_id uuid not null,
    workspace_id uuid not null,
    request_limit integer not null,
    window_seconds integer not null,
    full_at_nanos bigint not null,
    primary key (organization_id, workspace_id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  ) with (fillfactor = 50)`
])
