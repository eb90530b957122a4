/** Claims on deliveries: a token names the row it is for, so that no index over tokens has to be kept. */
import { parseId, Uuid } from "@agent-platform/kernel"
import type { PgTypes } from "@effect/sql-pg"
import type { SqlClient } from "effect/sql"
import type { ClaimTable } from "../claims.ts"
import { uuids } from "../columns.ts"

/** A claimed delivery is due again when its lease is over. */
export const deliveryClaims: ClaimTable = {
  name: "webhook_delivery",
  key: ["endpoint_id", "event_id"],
  lease: "due_at"
}

/** The token of a claim: the delivery's key, and a part that was made for this claim alone. */
export const claimToken = (endpointId: string, eventId: string, secret: string): string =>
  `${endpointId}.${eventId}.${secret}`

const parse = (token: string): ReadonlyArray<string> | undefined => {
  const parts = token.split(".")
  return parts.length === 3 && parts.every((part) => parseId(Uuid, part) !== undefined) ? parts : undefined
}

/** Whether a token has the form of ours; no other has ever been a claim. */
export const isClaimToken = (token: string): boolean => parse(token) !== undefined

/** Arrays of endpoint_id, event_id and claim_token for `unnest`, without tokens of another form. */
export interface ClaimColumns {
  readonly endpointIds: PgTypes.Parameter
  readonly eventIds: PgTypes.Parameter
  readonly secrets: PgTypes.Parameter
}

/** The claims of these tokens as columns, in their order. */
export const claimColumns = (tokens: ReadonlyArray<string>): ClaimColumns => {
  const claims = tokens.flatMap((token) => {
    const parts = parse(token)
    return parts === undefined ? [] : [parts]
  })
  const column = (index: number) => uuids(claims.map((parts) => parts[index] ?? ""))
  return { endpointIds: column(0), eventIds: column(1), secrets: column(2) }
}

/** The same as rows of a table `claim`. */
export const claimRows = (sql: SqlClient.SqlClient, tokens: ReadonlyArray<string>) => {
  const { endpointIds, eventIds, secrets } = claimColumns(tokens)
  return sql`unnest(${endpointIds}, ${eventIds}, ${secrets}) as claim (endpoint_id, event_id, claim_token)`
}

/** Assignments that void the claim on a row. Its attempt is still recorded when it ends. */
export const voidingClaim = (sql: SqlClient.SqlClient) =>
  sql.literal(
    "claim_token = null, voided_tokens = " +
      "case when claim_token is null then voided_tokens else array_append(voided_tokens, claim_token) end"
  )
