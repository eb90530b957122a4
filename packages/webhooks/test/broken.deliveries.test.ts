/** Stores of deliveries that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import type { ClaimedDelivery } from "@agent-platform/webhooks"
import { Deferred, Effect } from "effect"
import { deliveryFault } from "./deliveryFault.ts"

deliveryFault(
  "a store that puts a new delivery over the one that is there",
  (store) => ({
    insert: (deliveries) =>
      Effect.forEach(
        deliveries,
        (delivery) =>
          Effect.flatMap(
            store.update(delivery.endpointId, delivery.eventId, () => delivery),
            (found) => (found === undefined ? store.insert([delivery]) : Effect.void)
          ),
        { discard: true }
      )
  }),
  ["leaves a delivery and its attempts as they are when it is inserted again"]
)

deliveryFault(
  "a store that hands out deliveries without the traces of their events",
  (store) => ({
    claimDue: (limits) => Effect.map(store.claimDue(limits), (claimed) => claimed.map(({ trace: _, ...one }) => one))
  }),
  ["hands out a delivery with the trace that its event belongs to"]
)

deliveryFault(
  "a store that hands simultaneous claimers the same deliveries",
  (store) => {
    let ongoing: Deferred.Deferred<ReadonlyArray<ClaimedDelivery>> | undefined
    return {
      claimDue: (options) =>
        Effect.gen(function* () {
          if (ongoing !== undefined) return yield* Deferred.await(ongoing)
          const mine = yield* Deferred.make<ReadonlyArray<ClaimedDelivery>>()
          ongoing = mine
          yield* Effect.yieldNow
          const claimed = yield* store.claimDue(options)
          ongoing = undefined
          yield* Deferred.succeed(mine, claimed)
          return claimed
        })
    }
  },
  ["hands no delivery to two of twelve claimers who come at once, and leaves none behind"]
)

deliveryFault("a store that renews nothing", () => ({ renew: () => Effect.void }), [
  "renews the claims that are named and no other",
  "says how long it takes until the claim on a pending delivery runs out"
])

deliveryFault("a store that releases nothing", () => ({ release: () => Effect.void }), [
  "hands out a released delivery again at once, under another token",
  "says how long it takes until the claim on a pending delivery runs out",
  "settles nothing for a claim that was released"
])

deliveryFault(
  "a store that knows no limits of endpoints",
  (store) => ({
    claimDue: (limits) => store.claimDue({ ...limits, perEndpoint: limits.max, endpointLimits: new Map() })
  }),
  [
    "hands out no more of one endpoint than may go to it at once",
    "respects an endpoint's own lower limit, and nothing when it is 0"
  ]
)

deliveryFault(
  "a store that knows no organizations",
  (store) => ({ claimDue: (limits) => store.claimDue({ ...limits, perOrganization: limits.max }) }),
  ["hands out no more of one organization than may go to it at once"]
)

deliveryFault(
  "a store that takes the token of a lost claim for that of the present one",
  (store) => {
    const present = new Map<string, string>()
    const named = ({ delivery }: ClaimedDelivery) => `${delivery.endpointId}/${delivery.eventId}`
    const tokenOf = (name: string) => present.get(name) ?? name
    return {
      claimDue: (options) =>
        Effect.map(store.claimDue(options), (claimed) =>
          claimed.map((one) => {
            present.set(named(one), one.claimToken)
            return { ...one, claimToken: named(one) }
          })
        ),
      renew: (tokens, seconds) => store.renew(tokens.map(tokenOf), seconds),
      release: (tokens) => store.release(tokens.map(tokenOf)),
      settle: (settled) =>
        Effect.map(
          store.settle(settled.map((one) => ({ ...one, claimToken: tokenOf(one.claimToken) }))),
          (held) => new Set(settled.filter((one) => held.has(tokenOf(one.claimToken))).map((one) => one.claimToken))
        )
    }
  },
  [
    "hands out a delivery again, under another token, when the claim has lapsed",
    "does not let the holder of a lost claim renew the one that followed",
    "hands out a released delivery again at once, under another token",
    "does not let the holder of a lost claim release the one that followed",
    "settles many at once, and of them those whose claims still hold",
    "settles nothing for a claim that lapsed and was taken over",
    "numbers attempts in the order in which they are settled"
  ]
)

deliveryFault(
  "a store that forgets whose attempt a replay overtook",
  (store, database) => {
    const rows = database.table<{ readonly voided: ReadonlyArray<string> }>("webhook_delivery")
    return {
      update: (endpointId, eventId, change) =>
        Effect.gen(function* () {
          const key = `${endpointId}/${eventId}`
          const delivery = yield* store.update(endpointId, eventId, change)
          const after = yield* rows.get(key)
          if (after !== undefined) yield* rows.put(key, { ...after, voided: [] })
          return delivery
        })
    }
  },
  [
    "keeps the record of an attempt in flight when its delivery is replayed, and sends it again all the same",
    "numbers attempts in the order in which they are settled"
  ]
)

deliveryFault(
  "a store that puts an attempted delivery over the one that is there",
  (store) => ({
    insertAttempted: (attempted) =>
      Effect.forEach(
        attempted,
        (one) =>
          Effect.flatMap(
            store.update(one.delivery.endpointId, one.delivery.eventId, () => one.delivery),
            (found) => (found === undefined ? store.insertAttempted([one]) : Effect.void)
          ),
        { discard: true }
      )
  }),
  ["leaves a delivery that is there already as it is, and drops the attempt"]
)

deliveryFault(
  "a store that loses the attempt before the row with the one after it",
  (store) => ({
    attempts: (endpointId, eventId) =>
      Effect.map(store.attempts(endpointId, eventId), (attempts) => attempts.slice(attempts.length > 1 ? 1 : 0))
  }),
  [
    "lists the attempt that came before the row in front of those after it",
    "lists every delivery with all of its own attempts, first to last",
    "numbers attempts in the order in which they are settled"
  ]
)

deliveryFault(
  "a store that undoes what its transaction has written when it inserts what is there",
  (store) => ({
    insertAttempted: (attempted) =>
      Effect.flatMap(
        Effect.forEach(attempted, ({ delivery }) => store.find(delivery.endpointId, delivery.eventId)),
        (found) =>
          found.some((one) => one !== undefined)
            ? Effect.die("The transaction is aborted")
            : store.insertAttempted(attempted)
      )
  }),
  [
    "keeps what its transaction has written before, though a delivery is there already",
    "leaves a delivery that is there already as it is, and drops the attempt",
    "lets two who attempted the same delivery at once leave one of the attempts"
  ]
)

deliveryFault(
  "a store that gives no claim on what is being attempted",
  (store) => ({
    insertClaimed: (deliveries) =>
      Effect.as(
        store.insert(deliveries),
        deliveries.map(() => undefined)
      )
  }),
  [
    "gives the worker that attempts a delivery a claim on its new row",
    "gives no claim on a row that is there already, and answers in the order of the question",
    "adds the record of an attempt to a delivery that was dead when it got its row"
  ]
)
