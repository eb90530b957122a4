import type { EventId } from "@agent-platform/kernel"
import { DateTime } from "effect"
import type { Attempt, Delivery } from "../Delivery.ts"
import type { EndpointId } from "../Endpoint.ts"

/** Who attempts a delivery, and until when. */
export interface Claim {
  readonly token: string
  readonly until: DateTime.Utc
}

/** A row of the table of deliveries. */
export interface DeliveryRow {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
  readonly claim: Claim | undefined
  /** Tokens of claims that were voided under their holders, whose attempts are still to be recorded. */
  readonly voided: ReadonlyArray<string>
}

/** The key of a row. */
export const keyOf = (endpointId: EndpointId, eventId: EventId): string => `${endpointId}/${eventId}`

/** When a row can next be claimed; undefined unless it is pending. */
export const claimableAt = ({ claim, delivery }: DeliveryRow): DateTime.Utc | undefined => {
  if (delivery.state !== "pending" || delivery.nextAttemptAt === null) return undefined
  return claim === undefined ? delivery.nextAttemptAt : DateTime.max(claim.until, delivery.nextAttemptAt)
}

/** The row with another delivery in it, whatever its claimer makes of the one it has. */
export const overridden = (row: DeliveryRow, delivery: Delivery): DeliveryRow => ({
  ...row,
  delivery,
  claim: undefined,
  voided: row.claim === undefined ? row.voided : [...row.voided, row.claim.token]
})
