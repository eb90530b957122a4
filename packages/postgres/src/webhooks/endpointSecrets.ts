import type { OrganizationId } from "@agent-platform/kernel"
import { type EndpointId, type EndpointStore, secretPlace } from "@agent-platform/webhooks"
import type { SqlClient } from "effect/sql"
import { mapRows } from "../mapRows.ts"

interface SecretRow {
  readonly organization_id: OrganizationId
  readonly id: EndpointId
  readonly place: number
  readonly sealed: string
}

/** Every sealed secret in `webhook_endpoint`, for when the key that seals them changes. */
export const endpointSecrets = (
  sql: SqlClient.SqlClient
): Pick<EndpointStore["Service"], "sealedSecrets" | "replaceSealedSecret"> => ({
  // A position is the primary key (organization and endpoint), whose index gives the order, and the place among
  // the endpoint's secrets, of which the current one has 0. A deleted endpoint has an empty text in the place of its secret.
  sealedSecrets: (after, limit) => {
    const [organization = "", endpoint = "", place = ""] = after?.split("/") ?? []
    const behind = sql`
      and (organization_id, id) >= (${organization}::uuid, ${endpoint}::uuid)
      and (organization_id, id, secret.place) > (${organization}::uuid, ${endpoint}::uuid, ${place}::bigint)
    `
    return sql<SecretRow>`
      select organization_id, id, secret.place::int as place, secret.sealed
      from agent_platform.webhook_endpoint cross join lateral (
        select 0::bigint as place, sealed_secret as sealed
        union all
        select retiring.place, retiring.secret ->> 'sealed'
        from jsonb_array_elements(retiring_secrets) with ordinality as retiring (secret, place)
      ) as secret
      where secret.sealed <> '' ${after === undefined ? sql.literal("") : behind}
      order by organization_id, id, secret.place limit ${limit}
    `.pipe(
      mapRows((rows) =>
        rows.map((row) => ({
          position: `${row.organization_id}/${row.id}/${row.place}`,
          place: secretPlace(row.id),
          sealed: row.sealed
        }))
      )
    )
  },

  // One statement: it waits for a change of the endpoint, and then works on the changed secrets.
  replaceSealedSecret: (value, resealed) => {
    const [organization = "", endpoint = ""] = value.position.split("/")
    return sql`
      update agent_platform.webhook_endpoint set
        sealed_secret = case when sealed_secret = ${value.sealed} then ${resealed} else sealed_secret end,
        retiring_secrets = coalesce((
          select jsonb_agg(
            case
              when retiring.secret ->> 'sealed' = ${value.sealed}
                then retiring.secret || jsonb_build_object('sealed', ${resealed}::text)
              else retiring.secret
            end
            order by retiring.place
          )
          from jsonb_array_elements(retiring_secrets) with ordinality as retiring (secret, place)
        ), '[]')
      where organization_id = ${organization} and id = ${endpoint} and (
        sealed_secret = ${value.sealed}
        or retiring_secrets @> jsonb_build_array(jsonb_build_object('sealed', ${value.sealed}::text))
      )
      returning id
    `.pipe(mapRows((rows) => rows.length > 0))
  }
})
