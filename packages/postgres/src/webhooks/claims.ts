/** Claims on deliveries. A token contains the key of its row, so that no index over tokens is needed. */
import { parseId, Uuid } from "@agent-platform/kernel"
import type { SqlClient } from "effect/sql"
import type { ClaimTable } from "../claims.ts"
import { uuid } from "../columnTypes.ts"
import { type Fields, makeTable } from "../table.ts"

/** The parts of a token: the delivery's key, and a UUID that was made for this claim alone. */
export interface DeliveryClaim {
  readonly endpointId: string
  readonly eventId: string
  readonly claimToken: string
}

/** The columns of claims. */
export const claimFields: Fields<DeliveryClaim> = { endpointId: uuid(), eventId: uuid(), claimToken: uuid() }

/** Claims as rows of statements. */
export const tokenTable = makeTable<DeliveryClaim>("claim", claimFields)

/** The lease of a claimed delivery is its `due_at`: when the lease ends, the delivery is due again. */
export const deliveryClaims: ClaimTable = {
  name: "webhook_delivery",
  key: ["endpoint_id", "event_id"],
  lease: "due_at"
}

/** The token of a claim. */
export const formatToken = ({ claimToken, endpointId, eventId }: DeliveryClaim): string =>
  `${endpointId}.${eventId}.${claimToken}`

/** The claim of a token; undefined for a text that has not the form of one. */
export const parseToken = (token: string): DeliveryClaim | undefined => {
  const [endpointId = "", eventId = "", claimToken = "", ...more] = token.split(".")
  const isOurs = [endpointId, eventId, claimToken].every((part) => parseId(Uuid, part) !== undefined)
  return isOurs && more.length === 0 ? { endpointId, eventId, claimToken } : undefined
}

/** The claims of these tokens as rows of a table `claim`, without tokens of another form. */
export const claimRows = (sql: SqlClient.SqlClient, tokens: ReadonlyArray<string>) =>
  sql`(${tokenTable.rowsOf(tokens.flatMap((token) => parseToken(token) ?? []))}) as claim`

/** Assignments that void the claim on a row. Its attempt is still recorded when it ends. */
export const voidingClaim = (sql: SqlClient.SqlClient) =>
  sql.literal(
    "claim_token = null, voided_tokens = " +
      "case when claim_token is null then voided_tokens else array_append(voided_tokens, claim_token) end"
  )
