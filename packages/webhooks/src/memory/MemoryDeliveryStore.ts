import { type EventId, EventLog } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ATTEMPTS_SHOWN_MAX } from "../Delivery.ts"
import type { Endpoint, EndpointId } from "../Endpoint.ts"
import { type ClaimedDelivery, DeliveryStore } from "../ports/DeliveryStore.ts"
import { lifecycleOver } from "./deliveryLifecycle.ts"
import { claimableAt, type DeliveryRow } from "./deliveryRows.ts"
import { ENDPOINT_TABLE } from "./MemoryEndpointStore.ts"

const keyOf = (endpointId: EndpointId, eventId: EventId) => `${endpointId}/${eventId}`

const dueMillis = ({ delivery }: DeliveryRow) => delivery.nextAttemptAt?.epochMilliseconds ?? 0

const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const log = yield* EventLog
  const random = yield* SecureRandom.SecureRandom
  const deliveries = database.table<DeliveryRow>("webhook_delivery")
  const endpoints = database.table<Endpoint>(ENDPOINT_TABLE)

  const put = (row: DeliveryRow) => deliveries.put(keyOf(row.delivery.endpointId, row.delivery.eventId), row)

  const claimedBy = (tokens: Iterable<string>) => {
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

  /** Which of the rows one claimer gets: the oldest, within both bounds. */
  const within = (rows: ReadonlyArray<DeliveryRow>, bounds: { readonly max: number; readonly perEndpoint: number }) => {
    const taken = new Map<EndpointId, number>()
    return rows
      .filter(({ delivery: { endpointId } }) => {
        const before = taken.get(endpointId) ?? 0
        if (before >= bounds.perEndpoint) return false
        taken.set(endpointId, before + 1)
        return true
      })
      .slice(0, bounds.max)
  }

  const claimOne = (row: DeliveryRow, until: DateTime.Utc) =>
    Effect.gen(function* () {
      const endpoint = yield* endpoints.get(row.delivery.endpointId)
      const [event] = yield* log.find([row.delivery.eventId])
      if (endpoint === undefined || event === undefined) return []
      const token = yield* random.uuidV4()
      yield* put({ ...row, claim: { token, until } })
      const claimed: ClaimedDelivery = { delivery: row.delivery, claimToken: token, endpoint, body: event.body }
      return [claimed]
    })

  return DeliveryStore.of({
    insert: (rows) =>
      Effect.forEach(
        rows,
        (delivery) =>
          Effect.flatMap(deliveries.get(keyOf(delivery.endpointId, delivery.eventId)), (earlier) =>
            earlier === undefined ? put({ delivery, attempts: [], claim: undefined }) : Effect.void
          ),
        { discard: true }
      ),

    claimDue: (options) =>
      database.atomic(
        Effect.gen(function* () {
          const due = (yield* deliveries.all)
            .filter((row) => {
              const at = claimableAt(row)
              return at !== undefined && DateTime.isLessThanOrEqualTo(at, options.now)
            })
            .filter((row) => !options.except.includes(row.delivery.endpointId))
            .sort((a, b) => dueMillis(a) - dueMillis(b))
          const until = DateTime.add(options.now, { seconds: options.leaseSeconds })
          return (yield* Effect.forEach(within(due, options), (row) => claimOne(row, until))).flat()
        })
      ),

    renew: (claimTokens, { leaseSeconds, now }) =>
      database.atomic(
        Effect.gen(function* () {
          const until = DateTime.add(now, { seconds: leaseSeconds })
          for (const [token, row] of yield* claimedBy(claimTokens)) {
            if (row.claim !== undefined && DateTime.isGreaterThan(row.claim.until, now)) {
              yield* put({ ...row, claim: { token, until } })
            }
          }
        })
      ),

    settle: (settled) =>
      Effect.gen(function* () {
        const held = yield* claimedBy(settled.map((one) => one.claimToken))
        for (const { attempt, claimToken, delivery } of settled) {
          const row = held.get(claimToken)
          if (row !== undefined) yield* put({ delivery, attempts: [...row.attempts, attempt], claim: undefined })
        }
        return new Set(held.keys())
      }),

    release: (claimTokens) =>
      database.atomic(
        Effect.gen(function* () {
          for (const row of (yield* claimedBy(claimTokens)).values()) yield* put({ ...row, claim: undefined })
        })
      ),

    find: (endpointId, eventId) => Effect.map(deliveries.get(keyOf(endpointId, eventId)), (row) => row?.delivery),

    recent: (endpointId, limit) =>
      Effect.map(deliveries.all, (rows) =>
        rows
          .filter((row) => row.delivery.endpointId === endpointId)
          .sort((a, b) => (a.delivery.eventId < b.delivery.eventId ? 1 : -1))
          .slice(0, limit)
          .map(({ attempts, delivery }) => ({ delivery, attempts: attempts.slice(-ATTEMPTS_SHOWN_MAX) }))
      ),

    update: (endpointId, eventId, change) =>
      Effect.gen(function* () {
        const row = yield* deliveries.get(keyOf(endpointId, eventId))
        if (row === undefined) return undefined
        const delivery = change(row.delivery)
        yield* put({ ...row, delivery, claim: undefined })
        return delivery
      }),

    nextDueAt: Effect.map(deliveries.all, (rows) => {
      const times = rows.flatMap((row) => claimableAt(row) ?? [])
      return times.reduce<DateTime.Utc | undefined>(
        (earliest, at) => (earliest === undefined ? at : DateTime.min(earliest, at)),
        undefined
      )
    }),

    attempts: (endpointId, eventId) =>
      Effect.map(deliveries.get(keyOf(endpointId, eventId)), (row) => (row?.attempts ?? []).slice(-ATTEMPTS_SHOWN_MAX)),

    ...lifecycleOver(deliveries, put)
  })
})

/** Deliveries over a `MemoryDatabase`; the bytes that they send are those of the event log. */
export const layerDeliveryStore: Layer.Layer<
  DeliveryStore,
  never,
  MemoryDatabase | EventLog | SecureRandom.SecureRandom
> = Layer.effect(DeliveryStore, make)
