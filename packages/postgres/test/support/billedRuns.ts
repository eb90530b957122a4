/** Runs for billing's contract suites, as rows that other rows can refer to. */
import { BilledRuns } from "@agent-platform/billing/testing"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { jsonb, texts } from "../../src/columns.ts"

export const layerBilledRuns: Layer.Layer<BilledRuns, never, SqlClient.SqlClient> = Layer.effect(
  BilledRuns,
  Effect.map(SqlClient.SqlClient, (sql) =>
    BilledRuns.of({
      make: ({ agentId, metadata, organizationId, runId, sessionId, tags, workspaceId }) =>
        Effect.gen(function* () {
          yield* sql`
            insert into agent_platform.agent (organization_id, workspace_id, id, name, recipe, recipes, version, created_at, updated_at)
            values (${organizationId}, ${workspaceId}, ${agentId}, 'Demo', 'demo', '{}', 1, now(), now())
          `
          yield* sql`
            insert into agent_platform.session (organization_id, workspace_id, id, created_at)
            values (${organizationId}, ${workspaceId}, ${sessionId}, now())
          `
          yield* sql`
            insert into agent_platform.run (
              organization_id, workspace_id, id, session_id, position, agent_id, recipe, status, paused,
              interrupt_truncated, attempt, max_attempts, max_duration_seconds, priority, trigger_type, created_at,
              cost_usd, requests, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
              metadata, tags
            ) values (
              ${organizationId}, ${workspaceId}, ${runId}, ${sessionId}, 1, ${agentId}, 'demo', 'queued', false, false, 0, 1,
              60, 0, 'api', now(), 0, 0, 0, 0, 0, 0, 0, ${jsonb(metadata)}, ${texts(tags)}
            )
          `
        }).pipe(Effect.orDie)
    })
  )
)
