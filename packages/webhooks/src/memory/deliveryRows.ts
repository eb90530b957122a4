import { DateTime } from "effect"
import type { Attempt, Delivery } from "../Delivery.ts"

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
}

/** When a row can next be claimed; undefined unless it is pending. */
export const claimableAt = ({ claim, delivery }: DeliveryRow): DateTime.Utc | undefined => {
  if (delivery.state !== "pending" || delivery.nextAttemptAt === null) return undefined
  return claim === undefined ? delivery.nextAttemptAt : DateTime.max(claim.until, delivery.nextAttemptAt)
}
