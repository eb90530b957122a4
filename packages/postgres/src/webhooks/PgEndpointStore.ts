import { toPage } from "@agent-platform/kernel"
import { EndpointStore, secretPlace } from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { texts, timestamp, uuids } from "../columns.ts"
import { ENDPOINT_COLUMNS, type EndpointRow, toEndpoint } from "./endpointRow.ts"

/** Endpoints in the table `webhook_endpoint`. */
export const layer: Layer.Layer<EndpointStore, never, SqlClient.SqlClient> = Layer.effect(
  EndpointStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(ENDPOINT_COLUMNS.join(", "))
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

      insert: (endpoint) =>
        sql`
          insert into webhook_endpoint (
            organization_id, id, url, event_types, description, status, disabled_reason, sealed_secret, created_at
          ) values (
            ${endpoint.organizationId}, ${endpoint.id}, ${endpoint.url}, ${texts(endpoint.eventTypes)},
            ${endpoint.description}, ${endpoint.status}, ${endpoint.disabledReason}, ${endpoint.sealedSecret},
            ${timestamp(endpoint.createdAt)}
          )
        `.pipe(Effect.orDie, Effect.asVoid),

      find: (organizationId, id) =>
        sql<EndpointRow>`
          select ${columns} from webhook_endpoint where organization_id = ${organizationId} and id = ${id}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toEndpoint(row))
        ),

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

      // A position is the primary key, organization and endpoint: there is an index for no other order.
      sealedSecrets: (after, limit) => {
        const [organization = "", endpoint = ""] = after?.split("/") ?? []
        return sql<Pick<EndpointRow, "organization_id" | "id" | "sealed_secret">>`
          select organization_id, id, sealed_secret from webhook_endpoint
          ${after === undefined ? sql.literal("") : sql`where (organization_id, id) > (${organization}, ${endpoint})`}
          order by organization_id, id limit ${limit}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) =>
            rows.map((row) => ({
              position: `${row.organization_id}/${row.id}`,
              place: secretPlace(row.id),
              sealed: row.sealed_secret
            }))
          )
        )
      },

      replaceSealedSecret: (value, resealed) => {
        const [organization = "", endpoint = ""] = value.position.split("/")
        return sql`
          update webhook_endpoint set sealed_secret = ${resealed}
          where organization_id = ${organization} and id = ${endpoint} and sealed_secret = ${value.sealed}
          returning id
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.length > 0)
        )
      }
    })
  })
)
