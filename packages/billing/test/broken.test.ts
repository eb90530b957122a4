/** Ledgers that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { CallId, CallLedger, NO_SPEND, PriceOverrideStore } from "@agent-platform/billing"
import { layer as stores } from "@agent-platform/billing/memory"
import {
  BilledRuns,
  callLedgerContract,
  ledgerModelContract,
  priceOverrideStoreContract
} from "@agent-platform/billing/testing"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { bite } from "../../kernel/test/bite.ts"

type Ledger = CallLedger["Service"]
type Prices = PriceOverrideStore["Service"]

const memory = Layer.mergeAll(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded, BilledRuns.layerUnfounded)

const brokenLedger = (broken: (ledger: Ledger) => Partial<Ledger>) =>
  Layer.effect(
    CallLedger,
    CallLedger.use((ledger) => Effect.succeed({ ...ledger, ...broken(ledger) }))
  ).pipe(Layer.provideMerge(memory), Layer.fresh)

const ledgerFault = (fault: string, broken: (ledger: Ledger) => Partial<Ledger>, caughtBy: ReadonlyArray<string>) =>
  bite(fault, () => callLedgerContract("a broken ledger", brokenLedger(broken)), caughtBy)

const modelFault = (fault: string, broken: (ledger: Ledger) => Partial<Ledger>) =>
  bite(fault, () => ledgerModelContract("a broken ledger", brokenLedger(broken), { runs: 60, seed: 1 }), [
    "is what the model says, after every call, retry, crash and expiry"
  ])

const priceFault = (fault: string, broken: (store: Prices) => Partial<Prices>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    PriceOverrideStore,
    PriceOverrideStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  ).pipe(Layer.provideMerge(memory), Layer.fresh)
  bite(fault, () => priceOverrideStoreContract("a broken store", layer), caughtBy)
}

/** Looks first and holds back afterwards, as a check before the call does. */
const lookingFirst = (ledger: Ledger): Partial<Ledger> => ({
  reserve: (call) =>
    Effect.gen(function* () {
      const month = (yield* ledger.month(call.workspaceId, call.period.start)) ?? NO_SPEND
      const run = yield* ledger.run(call.workspaceId, call.runId)
      yield* Effect.yieldNow
      const sum = (spend: typeof NO_SPEND) =>
        Number(spend.spentUsd) + Number(spend.reservedUsd) + Number(call.rates?.baseUsd)
      const fits =
        sum(month) <= Number(call.workspaceCapUsd ?? Number.POSITIVE_INFINITY) &&
        sum(run) <= Number(call.runCapUsd ?? Number.POSITIVE_INFINITY)
      return yield* ledger.reserve(fits ? { ...call, workspaceCapUsd: null, runCapUsd: null } : call)
    })
})

ledgerFault(
  "a ledger that takes a reported call for any other",
  (ledger) => ({ reserve: ({ reported: _, ...call }) => ledger.reserve(call) }),
  ["counts a reported call once, whatever its caps leave and however often it is reported"]
)

ledgerFault("a ledger that looks at the caps and then holds back", lookingFirst, [
  "holds back what an admitted call can cost, in its month and in its run",
  "of forty calls of forty runs at once admits the ten that fit under the workspace's cap",
  "of twenty calls at once that are the first of their run admits the five that fit under its cap",
  "admits a call with as many output tokens as its caps leave, and holds back for just these",
  "admits no more than the tighter of two caps leaves, and exactly what fills it"
])

ledgerFault(
  "a ledger that holds back for all that a call asks for, whatever it grants",
  (ledger) => ({
    reserve: (call) =>
      Effect.map(ledger.reserve(call), (answer) =>
        answer._tag === "Reserved" ? { ...answer, outputTokensMax: call.outputTokensMax } : answer
      )
  }),
  [
    "admits a call with as many output tokens as its caps leave, and holds back for just these",
    "admits no more than the tighter of two caps leaves, and exactly what fills it"
  ]
)

ledgerFault(
  "a ledger that keeps no cap of a run",
  (ledger) => ({ reserve: (call) => ledger.reserve({ ...call, runCapUsd: null }) }),
  [
    "holds nothing in the month for a call that the run's own cap refuses",
    "counts a run's cap for that run alone",
    "of twenty calls at once that are the first of their run admits the five that fit under its cap",
    "admits no more than the tighter of two caps leaves, and exactly what fills it"
  ]
)

ledgerFault(
  "a ledger that counts a call as often as it is settled",
  (ledger) => ({
    settle: (workspaceId, id, end) =>
      Effect.map(ledger.settle(workspaceId, id, end), (answer) =>
        answer._tag === "AlreadySettled"
          ? {
              _tag: "Settled" as const,
              month: { ...NO_SPEND, period: null!, capUsd: null, nearAt: null, reachedAt: null, reachedCapUsd: null },
              isAwaited: false,
              calledAt: null!,
              reservedUsd: null
            }
          : answer
      )
  }),
  [
    "counts a reported call once, whatever its caps leave and however often it is reported",
    "counts a call once, however often it is settled",
    "counts a call once when twelve settle it at the same moment"
  ]
)

ledgerFault("a ledger in which nothing expires", () => ({ expired: () => Effect.succeed([]) }), [
  "finds calls that nobody has settled in time, and no others"
])

ledgerFault(
  "a ledger in which everybody is the first to mark a month",
  (ledger) => ({
    mark: (mark) =>
      Effect.flatMap(ledger.mark(mark), (first) =>
        first === undefined ? ledger.month(mark.workspaceId, mark.period.start) : Effect.succeed(first)
      )
  }),
  [
    "is the first to mark a month once, also before any call was admitted in it",
    "lets one of twelve who mark a month at the same moment be the first"
  ]
)

ledgerFault(
  "a ledger that does not answer who waits",
  (ledger) => ({
    settle: (...settled) =>
      Effect.map(ledger.settle(...settled), (answer) =>
        answer._tag === "Settled" ? { ...answer, isAwaited: false } : answer
      )
  }),
  ["answers a settlement that a refused call waits"]
)

modelFault("a ledger that looks at the caps and then holds back", lookingFirst)

modelFault("a ledger that forgets expired calls", (ledger) => ({
  expired: (options) =>
    Effect.map(ledger.expired(options), (found) => found.filter(({ amountUsd }) => Number(amountUsd) < 0.03))
}))

modelFault("a ledger that holds back again for a call that asks again", (ledger) => {
  const asked = new Set<string>()
  return {
    reserve: (call) => {
      const again = asked.has(call.id) ? { ...call, id: CallId.make(SecureRandom.uuidV7Unsafe()) } : call
      asked.add(call.id)
      return ledger.reserve(again)
    }
  }
})

priceFault(
  "a store that shows a workspace the prices of others",
  (store) => ({
    findFor: (workspaceId, provider, model) =>
      Effect.gen(function* () {
        const own = yield* store.findFor(workspaceId, provider, model)
        return own.map((one) => ({ ...one, scope: null }))
      })
  }),
  ["finds the prices of a model: the workspace's own and everybody's, and no other workspace's"]
)

priceFault("a store that removes nothing", () => ({ remove: () => Effect.succeed(undefined) }), [
  "removes a price once, and finds it no more"
])
