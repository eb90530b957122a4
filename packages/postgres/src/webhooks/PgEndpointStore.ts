import { toPage } from "@agent-platform/kernel"
import { EndpointStore } from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { texts, timestamp, uuids } from "../columns.ts"
import { ENDPOINT_COLUMNS, type EndpointRow, retiringSecretsColumn, toEndpoint } from "./endpointRow.ts"
import { endpointSecrets } from "./endpointSecrets.ts"

/** Endpoints in the table `webhook_endpoint`. */
export const layer: Layer.Layer<EndpointStore, never, SqlClient.SqlClient> = Layer.effect(
  EndpointStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(ENDPOINT_COLUMNS.join(", "))
    const findLocked = (lock: "" | "for share" | "for update"): EndpointStore["Service"]["find"] => {
      const locking = sql.literal(lock)
      return (organizationId, id) =>
        sql<EndpointRow>`
          select ${columns} from webhook_endpoint where organization_id = ${organizationId} and id = ${id} ${locking}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toEndpoint(row))
        )
    }
    return EndpointStore.of({
      // An advisory lock, not the organization's row: every insert that refers to that row would wait for it, too.
      hold: (organizationId) =>
        sql`select pg_advisory_xact_lock(hashtextextended(${`webhook_endpoint:${organizationId}`}, 0))`.pipe(
          Effect.orDie,
          Effect.asVoid
        ),

      countActive: (organizationId) =>
        sql<{ readonly active: number }>`
          select count(*)::int as active from webhook_endpoint
          where organization_id = ${organizationId} and status = 'active'
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row?.active ?? 0)
        ),

      countKept: (organizationId, max) =>
        sql<{ readonly kept: number }>`
          select count(*)::int as kept from (
            select from webhook_endpoint
            where organization_id = ${organizationId} and status <> 'deleted' limit ${max}
          ) as kept
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row?.kept ?? 0)
        ),

      insert: (endpoint) =>
        sql`
          insert into webhook_endpoint (
            organization_id, id, url, event_types, description, status, disabled_reason, sealed_secret,
            retiring_secrets, created_at
          ) values (
            ${endpoint.organizationId}, ${endpoint.id}, ${endpoint.url}, ${texts(endpoint.eventTypes)},
            ${endpoint.description}, ${endpoint.status}, ${endpoint.disabledReason}, ${endpoint.sealedSecret},
            ${retiringSecretsColumn(endpoint.retiringSecrets)}, ${timestamp(endpoint.createdAt)}
          )
        `.pipe(Effect.orDie, Effect.asVoid),

      find: findLocked(""),
      findToAct: findLocked("for share"),
      findToChange: findLocked("for update"),

      replace: (endpoint) =>
        sql`
          update webhook_endpoint set
            url = ${endpoint.url}, event_types = ${texts(endpoint.eventTypes)}, description = ${endpoint.description},
            status = ${endpoint.status}, disabled_reason = ${endpoint.disabledReason},
            sealed_secret = ${endpoint.sealedSecret},
            retiring_secrets = ${retiringSecretsColumn(endpoint.retiringSecrets)}
          where organization_id = ${endpoint.organizationId} and id = ${endpoint.id}
        `.pipe(Effect.orDie, Effect.asVoid),

      list: (organizationId, page) =>
        sql<EndpointRow>`
          select ${columns} from webhook_endpoint
          where organization_id = ${organizationId} and status <> 'deleted'
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => toPage(rows.map(toEndpoint), page.limit, (endpoint) => endpoint.id))
        ),

      ofOrganizations: (ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : sql<EndpointRow>`
          select ${columns} from webhook_endpoint where organization_id = any(${uuids(ids)}) and status <> 'deleted'
        `.pipe(
              Effect.orDie,
              Effect.map((rows) => rows.map(toEndpoint))
            ),

      ...endpointSecrets(sql)
    })
  })
)
