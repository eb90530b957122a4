import type { EventLog } from "@agent-platform/kernel"
import type { MemoryDatabase, MemoryTable } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { EndpointId } from "../Endpoint.ts"
import type { ClaimedDelivery, ClaimRoom, DeliveryStore, Recipient } from "../ports/DeliveryStore.ts"
import { claimableAt, type DeliveryRow, keyOf } from "./deliveryRows.ts"

/** What the parts of the store share. */
export interface DeliveryTables {
  readonly database: MemoryDatabase["Service"]
  readonly deliveries: MemoryTable<DeliveryRow>
  readonly log: EventLog["Service"]
  readonly random: SecureRandom.SecureRandom["Service"]
  readonly recipient: (endpointId: EndpointId) => Effect.Effect<Recipient | undefined>
}

const dueMillis = ({ delivery }: DeliveryRow) => delivery.nextAttemptAt?.epochMilliseconds ?? 0

/** Which of the rows one claimer gets: the oldest that there is room for. */
const within = (rows: ReadonlyArray<DeliveryRow>, room: ClaimRoom) => {
  const taken = new Map<string, number>()
  const takes = (name: string, limit: number) => (taken.get(name) ?? 0) < limit
  return rows
    .filter(({ delivery: { endpointId, organizationId } }) => {
      if (!takes(endpointId, room.rooms.get(endpointId) ?? room.perEndpoint)) return false
      if (!takes(organizationId, room.perOrganization)) return false
      for (const name of [endpointId, organizationId]) taken.set(name, (taken.get(name) ?? 0) + 1)
      return true
    })
    .slice(0, room.max)
}

/** The rows that these tokens are claims on, by token. */
const claimedBy = (deliveries: MemoryTable<DeliveryRow>, tokens: Iterable<string>) => {
  const wanted = new Set(tokens)
  return Effect.map(
    deliveries.all,
    (rows) =>
      new Map(
        rows.flatMap((row) =>
          row.claim !== undefined && wanted.has(row.claim.token) ? [[row.claim.token, row] as const] : []
        )
      )
  )
}

/** Who attempts which delivery, over a `MemoryDatabase` and by Effect's clock. */
export const claimsOver = ({
  database,
  deliveries,
  log,
  random,
  recipient
}: DeliveryTables): Pick<
  DeliveryStore["Service"],
  "claimDue" | "insertClaimed" | "renew" | "release" | "millisUntilDue"
> => {
  const put = (row: DeliveryRow) => deliveries.put(keyOf(row.delivery.endpointId, row.delivery.eventId), row)
  const freshClaim = Effect.fnUntraced(function* (leaseSeconds: number) {
    return { token: yield* random.uuidV4(), until: DateTime.add(yield* DateTime.now, { seconds: leaseSeconds }) }
  })

  const claimOne = Effect.fnUntraced(function* (row: DeliveryRow, leaseSeconds: number) {
    const found = yield* recipient(row.delivery.endpointId)
    const [event] = yield* log.find([row.delivery.eventId])
    if (found === undefined) return []
    const claim = yield* freshClaim(leaseSeconds)
    yield* put({ ...row, claim })
    const claimed: ClaimedDelivery = {
      ...found,
      delivery: row.delivery,
      body: event?.body ?? null,
      claimToken: claim.token,
      ...(event?.trace === undefined ? {} : { trace: event.trace })
    }
    return [claimed]
  })

  return {
    claimDue: (room) =>
      database.atomic(
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const due = (yield* deliveries.all)
            .filter((row) => {
              const at = claimableAt(row)
              return at !== undefined && DateTime.isLessThanOrEqualTo(at, now)
            })
            .sort((a, b) => dueMillis(a) - dueMillis(b))
          return (yield* Effect.forEach(within(due, room), (row) => claimOne(row, room.leaseSeconds))).flat()
        })
      ),

    insertClaimed: (rows, leaseSeconds) =>
      Effect.forEach(
        rows,
        Effect.fnUntraced(function* (delivery) {
          if ((yield* deliveries.get(keyOf(delivery.endpointId, delivery.eventId))) !== undefined) return undefined
          const claim = yield* freshClaim(leaseSeconds)
          const isPending = delivery.state === "pending"
          const voided = isPending ? [] : [claim.token]
          yield* put({ delivery, attempts: [], claim: isPending ? claim : undefined, voided })
          return claim.token
        })
      ),

    renew: (claimTokens, leaseSeconds) =>
      database.atomic(
        Effect.gen(function* () {
          const until = DateTime.add(yield* DateTime.now, { seconds: leaseSeconds })
          for (const [token, row] of yield* claimedBy(deliveries, claimTokens)) {
            yield* put({ ...row, claim: { token, until } })
          }
        })
      ),

    release: (claimTokens) =>
      database.atomic(
        Effect.gen(function* () {
          const rows = yield* claimedBy(deliveries, claimTokens)
          for (const row of rows.values()) yield* put({ ...row, claim: undefined })
        })
      ),

    millisUntilDue: Effect.gen(function* () {
      const now = DateTime.toEpochMillis(yield* DateTime.now)
      const times = (yield* deliveries.all).flatMap((row) => claimableAt(row)?.epochMilliseconds ?? [])
      return times.length === 0 ? undefined : times.reduce((earliest, at) => Math.min(earliest, at)) - now
    })
  }
}
