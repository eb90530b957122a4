/** What is read of runs to know what a workspace spends. */
import { firstIdAt, OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { PgRunStore } from "@agent-platform/postgres"
import { AgentId, RunStore, SessionId } from "@agent-platform/runs"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { uuids } from "../src/columns.ts"
import { databaseLayer } from "./support/database.ts"
import { explained } from "./support/explained.ts"

suite(databaseLayer, { excludeTestServices: true })("with the runs of a year", (it) => {
  it.effect("what a workspace has spent in a month is read from the runs of that month", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agentId, organizationId, sessionId, workspaceId } = {
        organizationId: anId(OrganizationId),
        workspaceId: anId(WorkspaceId),
        agentId: anId(AgentId),
        sessionId: anId(SessionId)
      }
      yield* sql`insert into organization (id, name, created_at) values (${organizationId}, 'one', now())`
      yield* sql`
        insert into workspace (organization_id, id, name, timezone, created_at)
        values (${organizationId}, ${workspaceId}, 'main', 'UTC', now())
      `
      yield* sql`
        insert into agent (organization_id, workspace_id, id, name, recipe, recipes, version, created_at, updated_at)
        values (${organizationId}, ${workspaceId}, ${agentId}, '', 'demo', '{}', 1, now(), now())
      `
      yield* sql`
        insert into session (organization_id, workspace_id, id, created_at)
        values (${organizationId}, ${workspaceId}, ${sessionId}, now())
      `
      // A run every hour for a year, a cent each.
      const first = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
      const ids = Array.from({ length: 365 * 24 }, (_, hours) => firstIdAt(DateTime.add(first, { hours })))
      yield* sql`
        insert into run (
          organization_id, workspace_id, id, session_id, position, agent_id, recipe, status, paused, interrupt_truncated,
          attempt,
          max_attempts, max_duration_seconds, priority, trigger_type, created_at, finished_at, cost_usd, requests,
          input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, metadata, tags
        )
        select ${organizationId}::uuid, ${workspaceId}::uuid, made.id, ${sessionId}::uuid, made.position, ${agentId}::uuid, 'demo',
          'succeeded', false, false, 1, 1, 60, 0, 'api', now(), now(), 0.01, 0, 0, 0, 0, 0, 0, '{}', '{}'
        from unnest(${uuids(ids)}) with ordinality as made (id, position)
      `
      yield* sql`analyze`
      const period = {
        start: DateTime.makeUnsafe("2026-10-31T23:00:00Z"),
        end: DateTime.makeUnsafe("2026-11-30T23:00:00Z")
      }
      const { answer, plan } = yield* explained(
        PgRunStore.layer,
        RunStore.use((store) => store.spent(workspaceId, period))
      )
      assert.strictEqual(answer, "7.20")
      assert.match(plan, /(Index Scan using|Bitmap Index Scan on) run_(workspace_id_id_key|pkey)/)
      assert.match(plan, /id >= .* AND .*id < /)
      assert.notInclude(plan, "Seq Scan")
    })
  )
})
