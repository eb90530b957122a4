import { bodyOf, EventLog } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { type ClaimedDelivery, type ClaimLimits, DeliveryQueue } from "../ports/DeliveryQueue.ts"
import { type Claim, claimableAt, type DeliveryRow, deliveryTable, freshClaim } from "./deliveryRows.ts"
import { endpointTables } from "./MemoryEndpointHealthStore.ts"

const dueMillis = ({ delivery }: DeliveryRow) => delivery.nextAttemptAt?.epochMilliseconds ?? 0

/** The rows that one claimer gets: the first within its limits. */
const withinLimits = (rows: ReadonlyArray<DeliveryRow>, limits: ClaimLimits) => {
  const counts = new Map<string, number>()
  const isBelow = (id: string, limit: number) => (counts.get(id) ?? 0) < limit
  return rows
    .filter(({ delivery: { endpointId, organizationId } }) => {
      if (!isBelow(endpointId, limits.endpointLimits.get(endpointId) ?? limits.perEndpoint)) return false
      if (!isBelow(organizationId, limits.perOrganization)) return false
      for (const id of [endpointId, organizationId]) counts.set(id, (counts.get(id) ?? 0) + 1)
      return true
    })
    .slice(0, limits.max)
}

/** The queue over a `MemoryDatabase`, by Effect's clock; the bytes that deliveries send are those of the event log. */
export const layerDeliveryQueue: Layer.Layer<
  DeliveryQueue,
  never,
  MemoryDatabase | EventLog | SecureRandom.SecureRandom
> = Layer.effect(
  DeliveryQueue,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const { all, put } = deliveryTable(database)
    const { recipient } = yield* endpointTables
    const log = yield* EventLog
    const random = yield* SecureRandom.SecureRandom

    /** Replaces the claims with these tokens, by another claim or by none. */
    const replaceClaims = Effect.fnUntraced(function* (
      tokens: ReadonlyArray<string>,
      replace: (claim: Claim) => Claim | undefined
    ) {
      for (const row of yield* all) {
        if (row.claim !== undefined && tokens.includes(row.claim.token))
          yield* put({ ...row, claim: replace(row.claim) })
      }
    }, database.atomic)

    const claimOne = Effect.fnUntraced(function* (row: DeliveryRow, leaseSeconds: number) {
      const found = yield* recipient(row.delivery.endpointId)
      const [event] = yield* log.find([row.delivery.eventId])
      if (found === undefined) return []
      const claim = yield* freshClaim(random, leaseSeconds)
      yield* put({ ...row, claim })
      const claimed: ClaimedDelivery = {
        ...found,
        delivery: row.delivery,
        body: event === undefined ? null : bodyOf(event),
        claimToken: claim.token,
        ...(event?.trace === undefined ? {} : { trace: event.trace })
      }
      return [claimed]
    })

    return DeliveryQueue.of({
      claimDue: (limits) =>
        database.atomic(
          Effect.gen(function* () {
            const now = yield* DateTime.now
            const due = (yield* all)
              .filter((row) => {
                const at = claimableAt(row)
                return at !== undefined && DateTime.isLessThanOrEqualTo(at, now)
              })
              .sort((a, b) => dueMillis(a) - dueMillis(b))
            return (yield* Effect.forEach(withinLimits(due, limits), (row) =>
              claimOne(row, limits.leaseSeconds)
            )).flat()
          })
        ),

      renew: Effect.fnUntraced(function* (claimTokens, leaseSeconds) {
        const until = DateTime.add(yield* DateTime.now, { seconds: leaseSeconds })
        yield* replaceClaims(claimTokens, ({ token }) => ({ token, until }))
      }),

      release: (claimTokens) => replaceClaims(claimTokens, () => undefined),

      millisUntilDue: Effect.gen(function* () {
        const now = DateTime.toEpochMillis(yield* DateTime.now)
        const times = (yield* all).flatMap((row) => claimableAt(row)?.epochMilliseconds ?? [])
        return times.length === 0 ? undefined : times.reduce((earliest, at) => Math.min(earliest, at)) - now
      })
    })
  })
)
