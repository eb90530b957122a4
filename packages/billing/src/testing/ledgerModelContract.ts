import { UnitOfWork } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Arbitrary, BigDecimal, Effect, type Layer, Schema } from "effect"
import type { CallId } from "../LedgerEntry.ts"
import { subtractUsd, USD_DECIMALS, writeUsd } from "../Money.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import type { NewReservation } from "../Reservation.ts"
import { fits, mayFitLater } from "../Spend.ts"
import { aBilledRun, aCallEnd, aReservation, type BilledRun, NOVEMBER } from "./BilledRuns.ts"
import type { LedgerPorts } from "./callLedgerContract.ts"

/** Few, so that many calls come to a cap exactly. */
const units = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))
const number = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))

/** The acts on the calls of two runs of one workspace. A number says which call is meant, round and round. */
const LedgerAct = Schema.Union([
  /** A call asks for a reservation; one that is doomed has expired at once. */
  Schema.Struct({ act: Schema.Literal("reserve"), run: Schema.Literals([0, 1]), units, doomed: Schema.Boolean }),
  Schema.Struct({ act: Schema.Literal("reserve"), run: Schema.Literals([0, 1]), units, doomed: Schema.Boolean }),
  /** A caller asks again, since the answer was lost. */
  Schema.Struct({ act: Schema.Literal("reserveAgain"), call: number }),
  Schema.Struct({ act: Schema.Literal("settle"), call: number, units }),
  Schema.Struct({ act: Schema.Literal("settle"), call: number, units }),
  /** A settlement whose transaction fails: its worker crashes before the commit. */
  Schema.Struct({ act: Schema.Literal("crash"), call: number, units }),
  Schema.Struct({ act: Schema.Literal("expire") }),
  Schema.Struct({ act: Schema.Literal("together"), calls: Schema.Array(units).check(Schema.isMaxLength(6)) })
])
type LedgerAct = typeof LedgerAct.Type

/** An amount in units of a cent and a trillionth of a dollar: every decimal that money has counts. */
const usd = (units: number) => writeUsd(BigDecimal.make(BigInt(units) * 10_000_000_001n, USD_DECIMALS))

/** Of the workspace, and of each run, which falls short of 12 units by the least amount there is. */
const CAPS = { month: usd(20), run: subtractUsd(usd(12), "0.000000000001") }

interface ModelCall {
  readonly call: NewReservation
  readonly run: number
  readonly units: number
  readonly doomed: boolean
  state: "open" | "settled" | "refused"
  cost: number
}

const makeWorld = Effect.gen(function* () {
  const first = yield* aBilledRun()
  return { runs: [first, yield* aBilledRun(first)] as ReadonlyArray<BilledRun>, calls: [] as Array<ModelCall> }
})
type World = Effect.Success<typeof makeWorld>

const sums = (calls: ReadonlyArray<ModelCall>) => ({
  spentUsd: usd(calls.filter(({ state }) => state === "settled").reduce((sum, { cost }) => sum + cost, 0)),
  reservedUsd: usd(calls.filter(({ state }) => state === "open").reduce((sum, { units }) => sum + units, 0))
})

const ofRun = ({ calls }: World, run: number) => calls.filter((call) => call.run === run)

/** The verdict of the rule in `Spend.ts`, to which every adapter is held. */
const verdict = (world: World, run: number, units: number) => {
  const amount = usd(units)
  const [month, own] = [sums(world.calls), sums(ofRun(world, run))]
  const fitsMonth = fits(month, CAPS.month, amount)
  if (fitsMonth && fits(own, CAPS.run, amount)) return { _tag: "Reserved" } as const
  return {
    _tag: "Refused",
    by: fitsMonth ? "run" : "workspace",
    spend: fitsMonth ? own : month,
    isWaiting: mayFitLater(month, CAPS.month, amount) && mayFitLater(own, CAPS.run, amount)
  } as const
}

const aModelCall = ({ runs }: World, run: number, units: number, doomed: boolean): ModelCall => ({
  call: aReservation({
    ...runs[run]!,
    amountUsd: usd(units),
    workspaceCapUsd: CAPS.month,
    runCapUsd: CAPS.run,
    holdSeconds: doomed ? 0 : 3_600
  }),
  run,
  units,
  doomed,
  state: "refused",
  cost: 0
})

const settle = ({ call }: ModelCall, cost: number, fails = false) =>
  Effect.gen(function* () {
    const ledger = yield* CallLedger
    const unit = yield* UnitOfWork
    const written = ledger.settle(call.workspaceId, call.id, aCallEnd({ costUsd: usd(cost) }))
    return yield* unit.atomic(fails ? Effect.andThen(written, Effect.fail("crashed" as const)) : written)
  })

const settleAs = Effect.fnUntraced(function* (one: ModelCall, cost: number) {
  const { _tag } = yield* settle(one, cost)
  const expected = { open: "Settled", settled: "AlreadySettled", refused: "NeverReserved" } as const
  assert.strictEqual(_tag, expected[one.state])
  if (one.state !== "open") return
  one.state = "settled"
  one.cost = cost
})

const perform = Effect.fnUntraced(function* (world: World, act: LedgerAct) {
  const ledger = yield* CallLedger
  const { calls } = world
  const named = "call" in act && calls.length > 0 ? calls[act.call % calls.length] : undefined
  switch (act.act) {
    case "reserve": {
      const one = aModelCall(world, act.run, act.units, act.doomed)
      const expected = verdict(world, act.run, act.units)
      assert.deepStrictEqual(yield* ledger.reserve(one.call), expected)
      calls.push({ ...one, state: expected._tag === "Reserved" ? "open" : "refused" })
      return
    }
    case "reserveAgain": {
      if (named?.state === "open") assert.strictEqual((yield* ledger.reserve(named.call))._tag, "Reserved")
      return
    }
    case "settle":
      return yield* named === undefined ? Effect.void : settleAs(named, act.units)
    case "crash":
      return yield* named === undefined ? Effect.void : Effect.asVoid(Effect.exit(settle(named, act.units, true)))
    case "expire": {
      const expired = new Set<CallId>((yield* ledger.expired({ max: 100_000 })).map(({ id }) => id))
      const mine = calls.filter(({ call }) => expired.has(call.id))
      assert.sameMembers(
        mine,
        calls.filter(({ doomed, state }) => doomed && state === "open")
      )
      return yield* Effect.forEach(mine, (one) => settleAs(one, one.units), { discard: true })
    }
    case "together": {
      const asked = act.calls.map((units) => aModelCall(world, 0, units, false))
      const answers = yield* Effect.forEach(asked, ({ call }) => ledger.reserve(call), { concurrency: "unbounded" })
      const isAdmitted = (index: number) => answers[index]?._tag === "Reserved"
      const admitted = asked.filter((_, index) => isAdmitted(index))
      const isFitting = (units: number) => verdict(world, 0, units)._tag === "Reserved"
      const sum = admitted.reduce((total, { units }) => total + units, 0)
      if (admitted.length > 0) assert.isTrue(isFitting(sum), "who was admitted at once fits together")
      for (const [index, one] of asked.entries()) calls.push({ ...one, state: isAdmitted(index) ? "open" : "refused" })
      // The caps only left less meanwhile: a call that fits now would have fitted then.
      for (const [index, { units }] of asked.entries()) {
        if (!isAdmitted(index)) assert.isFalse(isFitting(units), "who was refused does not fit")
      }
      return
    }
  }
})

const compare = Effect.fnUntraced(function* (world: World) {
  const ledger = yield* CallLedger
  const { calls, runs } = world
  const month = yield* ledger.month(runs[0]!.workspaceId, NOVEMBER.start)
  const all = sums(calls)
  assert.deepStrictEqual(
    [month?.spentUsd ?? "0.00", month?.reservedUsd ?? "0.00"],
    [all.spentUsd, all.reservedUsd],
    "the month"
  )
  for (const [number, { runId, workspaceId }] of runs.entries()) {
    assert.deepStrictEqual(yield* ledger.run(workspaceId, runId), sums(ofRun(world, number)), `run ${number}`)
  }
})

const holds = Effect.fnUntraced(function* (acts: ReadonlyArray<LedgerAct>) {
  const ledger = yield* CallLedger
  const world = yield* makeWorld
  for (const act of acts) {
    yield* perform(world, act)
    yield* compare(world)
  }
  for (const { call, cost, state } of world.calls) {
    const entry = yield* ledger.find(call.workspaceId, call.id)
    assert.strictEqual(entry?.costUsd, state === "settled" ? usd(cost) : undefined)
  }
  return true
})

/**
 * Whether a call is held back is what the rule in `Spend.ts` says, to the last decimal, in every adapter: memory calls the rule,
 * Postgres compares under its locks. After acts in any order, the spending of months and runs is the sum of the ledger, and the amount held back is that of the
 * calls under way. `runs` sequences of up to 40 acts are tried, others each time unless there is a `seed`.
 */
export const ledgerModelContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<LedgerPorts, E>,
  options: { readonly runs: number; readonly seed?: number }
) =>
  describe(`the ledger over ${adapter}, whatever happens to calls`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect(
        "is what the model says, after every call, retry, crash and expiry",
        () =>
          Effect.gen(function* () {
            const acts = Arbitrary.array(Arbitrary.schema(LedgerAct), { minLength: 1, maxLength: 40 })
            const property = (some: ReadonlyArray<LedgerAct>) =>
              Effect.catchDefect(holds(some), (defect) => Effect.fail(String(defect)))
            const result = yield* Arbitrary.checkEffect(acts, property, { size: 200, ...options })
            assert.isUndefined(Arbitrary.formatCheckFailure(result))
          }),
        120_000
      )
    })
  })
