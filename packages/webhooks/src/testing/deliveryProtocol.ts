/** The protocol of claims against a model of it: any sequence of what workers, replays and deletions do. */
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { Delivery, type DeliveryState } from "../Delivery.ts"
import type { Endpoint } from "../Endpoint.ts"
import type { ClaimedDelivery } from "../ports/DeliveryQueue.ts"
import { anAttempt } from "./builders.ts"
import { deliveryStore } from "./deliveryStore.ts"
import {
  at,
  atomic,
  claim,
  type DeliveryContractPorts,
  FAR_FUTURE,
  LAPSED,
  LEASE_SECONDS,
  recent,
  settle,
  storeDelivery,
  storeEndpoint,
  withNothingElsePending
} from "./storedDeliveries.ts"

const DELIVERIES = 6

/** An index into whatever there is to choose from by then, taken modulo its length. */
const ChoiceIndex = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))

const Command = Schema.Union([
  Schema.TaggedStruct("Claim", { max: Schema.Literals([1, 2, 10]), lapsing: Schema.Boolean }),
  Schema.TaggedStruct("Settle", {
    claim: ChoiceIndex,
    outcome: Schema.Literals(["delivered", "due", "later", "dead"])
  }),
  Schema.TaggedStruct("Renew", { claim: ChoiceIndex }),
  Schema.TaggedStruct("Release", { claim: ChoiceIndex }),
  Schema.TaggedStruct("Replay", { delivery: ChoiceIndex }),
  Schema.TaggedStruct("MarkDead", { endpoint: Schema.Literals([0, 1]) })
])
type Command = typeof Command.Type

/** One delivery in the model. */
interface Expected {
  readonly key: string
  readonly endpoint: number
  state: DeliveryState
  isDue: boolean
  attempts: number
  claim: { readonly token: string; lapsed: boolean } | undefined
  /** Tokens of claims that a replay or `markDead` ended. Settling under one adds its attempt to the history, once, and changes nothing else. */
  readonly voided: Set<string>
}

const keyOf = ({ endpointId, eventId }: Delivery) => `${endpointId}/${eventId}`

const isClaimable = ({ claim, isDue, state }: Expected) =>
  state === "pending" && isDue && (claim === undefined || claim.lapsed)

const voidClaim = (expected: Expected) => {
  if (expected.claim !== undefined) expected.voided.add(expected.claim.token)
  expected.claim = undefined
}

const { number: _, ...ATTEMPT } = anAttempt()

const afterOutcome = (delivery: Delivery, outcome: "delivered" | "due" | "later" | "dead"): Delivery => {
  switch (outcome) {
    case "delivered":
      return { ...delivery, state: "delivered", stateReason: null, nextAttemptAt: null, deliveredAt: at(1) }
    case "dead":
      return { ...delivery, state: "dead", stateReason: "retries_exhausted", nextAttemptAt: null }
    // In the past, as all times of `at` are.
    case "due":
      return { ...delivery, failures: 1, nextAttemptAt: at(60) }
    case "later":
      return { ...delivery, failures: 1, nextAttemptAt: FAR_FUTURE }
  }
}

const run = (commands: ReadonlyArray<Command>) =>
  Effect.gen(function* () {
    const store = yield* deliveryStore
    const endpoints: ReadonlyArray<Endpoint> = [yield* storeEndpoint(), yield* storeEndpoint()]
    const stored: Array<Delivery> = []
    const model = new Map<string, Expected>()
    for (let index = 0; index < DELIVERIES; index++) {
      const endpoint = endpoints[index % 2]
      assert.isDefined(endpoint)
      const delivery = yield* storeDelivery(endpoint)
      const key = keyOf(delivery)
      stored.push(delivery)
      model.set(key, {
        key,
        endpoint: index % 2,
        state: "pending",
        isDue: true,
        attempts: 0,
        claim: undefined,
        voided: new Set()
      })
    }
    // Every claim there ever was: the holders of lost ones go on as if they still held.
    const claims: Array<ClaimedDelivery> = []
    const chosen = (index: number) => (claims.length === 0 ? undefined : claims[index % claims.length])
    const expectedOf = (one: ClaimedDelivery) => model.get(keyOf(one.delivery))

    const step = Effect.fnUntraced(function* (command: Command) {
      switch (command._tag) {
        case "Claim": {
          const claimable = [...model.values()].filter(isClaimable)
          const found = yield* claim({ max: command.max, leaseSeconds: command.lapsing ? LAPSED : LEASE_SECONDS })
          assert.strictEqual(found.length, Math.min(command.max, claimable.length))
          for (const one of found) {
            const expected = expectedOf(one)
            assert.isTrue(expected !== undefined && isClaimable(expected), "what is claimed was due and free")
            assert.isTrue(claims.every(({ claimToken }) => claimToken !== one.claimToken))
            if (expected !== undefined) expected.claim = { token: one.claimToken, lapsed: command.lapsing }
            claims.push(one)
          }
          return
        }
        case "Settle": {
          const one = chosen(command.claim)
          const expected = one && expectedOf(one)
          if (one === undefined || expected === undefined) return
          const delivery = afterOutcome(one.delivery, command.outcome)
          const held = yield* settle({ claimToken: one.claimToken, delivery, attempt: ATTEMPT })
          const holds = expected.claim?.token === one.claimToken
          assert.deepStrictEqual(held, new Set(holds ? [one.claimToken] : []))
          if (holds) {
            expected.state = delivery.state
            expected.isDue = command.outcome === "due"
            expected.claim = undefined
          }
          if (holds || expected.voided.delete(one.claimToken)) expected.attempts++
          return
        }
        case "Renew": {
          const one = chosen(command.claim)
          if (one === undefined) return
          yield* store.renew([one.claimToken], LEASE_SECONDS)
          const expected = expectedOf(one)
          if (expected?.claim?.token === one.claimToken) expected.claim.lapsed = false
          return
        }
        case "Release": {
          const one = chosen(command.claim)
          if (one === undefined) return
          yield* store.release([one.claimToken])
          const expected = expectedOf(one)
          if (expected?.claim?.token === one.claimToken) expected.claim = undefined
          return
        }
        case "Replay": {
          const delivery = stored[command.delivery % stored.length]
          const expected = delivery && model.get(keyOf(delivery))
          if (delivery === undefined || expected === undefined) return
          yield* atomic(store.update(delivery.endpointId, delivery.eventId, (found) => Delivery.replayed(found, at(0))))
          voidClaim(expected)
          expected.state = "pending"
          expected.isDue = true
          return
        }
        case "MarkDead": {
          const endpoint = endpoints[command.endpoint]
          assert.isDefined(endpoint)
          const pending = [...model.values()].filter(
            (one) => one.endpoint === command.endpoint && one.state === "pending"
          )
          assert.strictEqual(yield* atomic(store.markDead(endpoint.id, "endpoint_disabled")), pending.length)
          for (const expected of pending) {
            voidClaim(expected)
            expected.state = "dead"
          }
        }
      }
    })

    const compare = Effect.gen(function* () {
      for (const endpoint of endpoints) {
        for (const { attempts, delivery } of yield* recent(store, endpoint.id, 50)) {
          const expected = model.get(keyOf(delivery))
          assert.isDefined(expected)
          assert.deepInclude(delivery, { state: expected.state, attemptCount: expected.attempts })
          assert.deepStrictEqual(
            attempts.map(({ number }) => number),
            Array.from({ length: expected.attempts }, (_, index) => index + 1)
          )
        }
      }
    })

    for (const command of commands) {
      yield* step(command)
      yield* compare
    }
  })

/**
 * The contract of stores of deliveries for random sequences of calls: they do what a model does. Nobody else
 * may claim deliveries from the store meanwhile. A `seed` makes the same sequences again.
 */
export const deliveryProtocolContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<DeliveryContractPorts, E>,
  seed?: number
) =>
  describe(`delivery protocol over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect.prop(
        "is that of the model",
        { commands: Schema.Array(Command).check(Schema.isMinLength(10), Schema.isMaxLength(25)) },
        ({ commands }) => withNothingElsePending(run(commands)),
        { arbitrary: { runs: 40, seed }, timeout: 60_000 }
      )
    })
  })
