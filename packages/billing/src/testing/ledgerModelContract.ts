import { UnitOfWork } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Arbitrary, Effect, type Layer } from "effect"
import { dueNotice, highestReached } from "../Cap.ts"
import type { CallId } from "../LedgerEntry.ts"
import { addUsd, ZERO_USD } from "../Money.ts"
import { worstCostAt } from "../Price.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import { heldFor } from "../Reservation.ts"
import { aCallEnd, CALLED_AT, costing, NOVEMBER } from "./BilledRuns.ts"
import type { LedgerPorts } from "./callLedgerContract.ts"
import {
  aModelCall,
  capOf,
  costWith,
  LedgerAct,
  type ModelCall,
  makeWorld,
  ofRun,
  sums,
  verdict,
  type World
} from "./ledgerModel.ts"

const settle = ({ call }: ModelCall, costUsd: string | null, fails = false) =>
  Effect.gen(function* () {
    const ledger = yield* CallLedger
    const unit = yield* UnitOfWork
    const written = ledger.settle(call.workspaceId, call.id, aCallEnd({ costUsd, priceVersion: call.priceVersion }))
    return yield* unit.atomic(fails ? Effect.andThen(written, Effect.fail("crashed" as const)) : written)
  })

const mark = Effect.fnUntraced(function* (world: World, kind: "near" | "reached", { call }: ModelCall) {
  const ledger = yield* CallLedger
  const unit = yield* UnitOfWork
  const { id: callId, organizationId, period, workspaceCapUsd: capUsd, workspaceId } = call
  if (capUsd === null) return
  const first = yield* unit.atomic(
    ledger.mark({ kind, organizationId, workspaceId, period, capUsd, callId, at: CALLED_AT })
  )
  const { isNear, reachedCapUsd } = world.marks
  assert.strictEqual(first !== undefined, kind === "near" ? !isNear : reachedCapUsd === null, "who marks first")
  world.marks = {
    isNear: isNear || kind === "near",
    reachedCapUsd: kind === "reached" ? highestReached(reachedCapUsd, capUsd) : reachedCapUsd
  }
})

const settleAs = Effect.fnUntraced(function* (world: World, one: ModelCall, costUsd: string | null) {
  const settled = yield* settle(one, costUsd)
  const expected = { open: "Settled", settled: "AlreadySettled", refused: "NeverReserved" } as const
  assert.strictEqual(settled._tag, expected[one.state])
  if (settled._tag !== "Settled") return
  one.state = "settled"
  one.costUsd = costUsd
  const { isNear, reachedCapUsd } = world.marks
  const due = dueNotice(
    { ...sums(world.calls), reachedCapUsd, nearAt: isNear ? CALLED_AT : null },
    world.caps.workspaceCapUsd
  )
  assert.strictEqual(dueNotice(settled.month, world.caps.workspaceCapUsd), due, "the notice")
  if (due !== undefined) yield* mark(world, due, { ...one, call: { ...one.call, ...world.caps } })
})

const perform = Effect.fnUntraced(function* (world: World, act: LedgerAct) {
  const ledger = yield* CallLedger
  const { calls } = world
  const named = "call" in act && calls.length > 0 ? calls[act.call % calls.length] : undefined
  switch (act.act) {
    case "reserve": {
      const one = aModelCall(world, act.run, act, act.doomed)
      const expected = verdict(world, act.run, one.call)
      assert.deepStrictEqual(yield* ledger.reserve(one.call), expected)
      calls.push(
        expected._tag === "Reserved"
          ? { ...one, state: "open", amountUsd: expected.amountUsd }
          : { ...one, state: "refused" }
      )
      if (expected._tag === "Refused" && expected.by === "workspace") yield* mark(world, "reached", one)
      return
    }
    case "reserveAgain": {
      if (named?.state !== "open") return
      assert.deepInclude(yield* ledger.reserve(named.call), { _tag: "Reserved", amountUsd: named.amountUsd })
      return
    }
    case "settle":
      return yield* named === undefined ? Effect.void : settleAs(world, named, costWith(named, act.tokens))
    case "crash":
      return yield* named === undefined
        ? Effect.void
        : Effect.asVoid(Effect.exit(settle(named, costWith(named, act.tokens), true)))
    case "expire": {
      const expired = new Set<CallId>((yield* ledger.expired({ max: 100_000 })).map(({ id }) => id))
      const mine = calls.filter(({ call }) => expired.has(call.id))
      assert.sameMembers(
        mine,
        calls.filter(({ doomed, state }) => doomed && state === "open")
      )
      return yield* Effect.forEach(mine, (one) => settleAs(world, one, one.amountUsd), { discard: true })
    }
    case "cap": {
      world.caps = { workspaceCapUsd: capOf(act.month), runCapUsd: capOf(act.run) }
      return
    }
    case "together": {
      const asked = act.calls.map((one) => aModelCall(world, 0, one, false))
      const answers = yield* Effect.forEach(asked, ({ call }) => ledger.reserve(call), { concurrency: "unbounded" })
      const fits = (call: Parameters<typeof verdict>[2]) => verdict(world, 0, call)._tag === "Reserved"
      const amounts = answers.flatMap((answer) => (answer._tag === "Reserved" ? [heldFor(answer.amountUsd)] : []))
      const together = {
        ...world.caps,
        ...costing(addUsd(ZERO_USD, ...amounts)),
        outputTokensMax: 0,
        outputTokensMin: 0
      }
      if (amounts.length > 0) assert.isTrue(fits(together), "who was admitted at once fits together")
      for (const [index, one] of asked.entries()) {
        const answer = answers[index]
        if (answer?._tag !== "Reserved") {
          calls.push({ ...one, state: "refused" })
          continue
        }
        const { rates } = one.call
        const { amountUsd, outputTokensMax } = answer
        assert.isAtLeast(outputTokensMax, one.call.outputTokensMin)
        assert.isAtMost(outputTokensMax, one.call.outputTokensMax)
        assert.strictEqual(amountUsd, rates && worstCostAt(rates, outputTokensMax), "what is held is what is granted")
        calls.push({ ...one, state: "open", amountUsd })
      }
      // The room under the caps has only shrunk meanwhile, so a call that fits now would have fitted then.
      for (const { call, state } of calls.slice(calls.length - asked.length)) {
        if (state === "refused") assert.isFalse(fits(call), "who was refused does not fit")
      }
      return
    }
  }
})

const compare = Effect.fnUntraced(function* (world: World) {
  const ledger = yield* CallLedger
  const { calls, marks, runs } = world
  const month = yield* ledger.month(runs[0]!.workspaceId, NOVEMBER.start)
  assert.deepStrictEqual(
    {
      spentUsd: month?.spentUsd ?? ZERO_USD,
      reservedUsd: month?.reservedUsd ?? ZERO_USD,
      isNear: (month?.nearAt ?? null) !== null,
      reachedCapUsd: month?.reachedCapUsd ?? null
    },
    { ...sums(calls), ...marks },
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
  for (const { call, costUsd, state } of world.calls) {
    const entry = yield* ledger.find(call.workspaceId, call.id)
    assert.strictEqual(entry?.costUsd, state === "settled" ? costUsd : undefined)
  }
  return true
})

/**
 * Every adapter must decide about reservations as the rule in `Cap.ts` does, to the last decimal: memory calls the rule, Postgres
 * compares under its locks. After acts in any order, with caps that change meanwhile, the spending of months and runs is the sum
 * of the ledger, the reserved amount is that of the calls under way, and the marks of a month are those of the notices that were
 * due. `runs` sequences of up to 40 acts are tried, other ones each time unless there is a `seed`.
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
