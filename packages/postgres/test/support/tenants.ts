/** Tenants for contract suites, as rows that other rows can refer to. */
import { Tenants } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export const layerTenants: Layer.Layer<Tenants, never, SqlClient.SqlClient> = Layer.effect(
  Tenants,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Tenants.of({
      make: ({ organizationId, workspaceId }) =>
        Effect.gen(function* () {
          yield* sql`
            insert into agent_platform.organization (id, name, created_at) values (${organizationId}, 'Acme', now())
            on conflict do nothing
          `
          yield* sql`
            insert into agent_platform.workspace (organization_id, id, name, timezone, created_at)
            values (${organizationId}, ${workspaceId}, 'Main', 'UTC', now())
            on conflict do nothing
          `
        }).pipe(Effect.orDie)
    })
  )
)
