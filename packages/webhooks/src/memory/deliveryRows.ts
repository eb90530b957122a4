import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Attempt, Delivery } from "../Delivery.ts"
import type { DeliveryKey } from "../ports/DeliverySettlement.ts"

/** Who attempts a delivery, and until when. */
export interface Claim {
  readonly token: string
  readonly until: DateTime.Utc
}

/** A claim that is made now. */
export const freshClaim = Effect.fnUntraced(function* (
  random: SecureRandom.SecureRandom["Service"],
  leaseSeconds: number
): Effect.fn.Return<Claim> {
  return { token: yield* random.uuidV4(), until: DateTime.add(yield* DateTime.now, { seconds: leaseSeconds }) }
})

/** A row of the table of deliveries. */
export interface DeliveryRow {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
  readonly claim: Claim | undefined
  /** Tokens of claims that were voided under their holders, whose attempts are still to be recorded. */
  readonly voided: ReadonlyArray<string>
}

const keyOf = ({ endpointId, eventId }: DeliveryKey): string => `${endpointId}/${eventId}`

/** When a row can next be claimed; undefined unless it is pending. */
export const claimableAt = ({ claim, delivery }: DeliveryRow): DateTime.Utc | undefined => {
  if (delivery.state !== "pending" || delivery.nextAttemptAt === null) return undefined
  return claim === undefined ? delivery.nextAttemptAt : DateTime.max(claim.until, delivery.nextAttemptAt)
}

/** The row with another delivery in it and its claim voided: settling under that only adds the record of the attempt. */
export const overridden = (row: DeliveryRow, delivery: Delivery): DeliveryRow => ({
  ...row,
  delivery,
  claim: undefined,
  voided: row.claim === undefined ? row.voided : [...row.voided, row.claim.token]
})

/** The table of deliveries of a database, by their keys. */
export const deliveryTable = (database: MemoryDatabase["Service"]) => {
  const rows = database.table<DeliveryRow>("webhook_delivery")
  return {
    all: rows.all,
    find: (key: DeliveryKey) => rows.get(keyOf(key)),
    put: (row: DeliveryRow) => rows.put(keyOf(row.delivery), row),
    remove: (key: DeliveryKey) => rows.remove(keyOf(key))
  }
}
