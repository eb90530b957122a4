/** How far the recipes of runs have come, and secrets of inbound URLs that are deleted. */
import { statements } from "./statements.ts"

export const runCheckpoints = statements([
  // JSON as text: what a model or a tool said is given back as it was, characters included that jsonb does not take.
  `create table run_checkpoint (
    organization_id uuid not null,
    workspace_id uuid not null,
    run_id uuid not null,
    state text not null,
    saved_at timestamptz not null,
    primary key (workspace_id, run_id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    foreign key (workspace_id, run_id) references run (workspace_id, id) on delete cascade
  )`,

  // Nothing is verified any more where there is no URL: its secret goes with it.
  `alter table agent_webhook drop constraint agent_webhook_check`,
  `update agent_webhook set sealed_secret = null where deleted_at is not null`,
  `alter table agent_webhook add constraint agent_webhook_secret
    check (deleted_at is not null or (verification = 'none') = (sealed_secret is null))`
])
