import type { Attempt, AttemptedDelivery, AttemptMade, Delivery } from "@agent-platform/webhooks"
import { integer, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { type Fields, group, makeTable } from "../table.ts"

const deliveryFields: Fields<Delivery> = {
  endpointId: uuid(),
  eventId: uuid(),
  organizationId: uuid(),
  eventType: text(),
  state: text(),
  stateReason: nullable(text()),
  attemptCount: integer(),
  failures: integer(),
  nextAttemptAt: nullable(timestamptz()),
  createdAt: timestamptz(),
  deliveredAt: nullable(timestamptz())
}

/** The columns of attempts, except their numbers. */
export const attemptFields: Fields<AttemptMade> = {
  attemptedAt: timestamptz(),
  durationMillis: integer(),
  responseCode: nullable(integer()),
  error: nullable(text()),
  responseExcerpt: nullable(text()),
  remoteIp: nullable(text())
}

/** Deliveries. The table has more columns, for their claims and for a first attempt that came before the row. */
export const deliveryTable = makeTable<Delivery>("webhook_delivery", deliveryFields)

/** Deliveries whose rows come with their first attempts. */
export const attemptedTable = makeTable<AttemptedDelivery>("webhook_delivery", {
  delivery: group("", deliveryFields),
  attempt: group("first_", attemptFields)
})

/** Attempts, without the keys of their deliveries. */
export const attemptTable = makeTable<Attempt>("webhook_attempt", { number: integer(), ...attemptFields })
