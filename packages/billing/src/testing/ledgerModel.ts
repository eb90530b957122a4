/** The model with which ledgers are compared: calls of two runs of one workspace, under caps and prices. */
import { BigDecimal, Effect, Schema } from "effect"
import { verdictOn } from "../Cap.ts"
import { addUsd, USD_DECIMALS, writeUsd, ZERO_USD } from "../Money.ts"
import { costOf, flatRate, type Price, worstRatesOf } from "../Price.ts"
import { heldFor, type NewReservation } from "../Reservation.ts"
import { NO_TOKENS } from "../TokenUsage.ts"
import { aBilledRun, aReservation, type BilledRun } from "./BilledRuns.ts"

/** Small numbers of tokens, so that many calls reach a cap exactly. */
const tokens = Schema.Struct({
  input: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
  output: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 }))
})
type Tokens = typeof tokens.Type
const number = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))

/** A cap in units; `off` raises or lowers it by the smallest amount. */
const cap = Schema.NullOr(
  Schema.Struct({
    units: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 24 })),
    off: Schema.Literals([-1, 0, 0, 1])
  })
)
/** The price and tokens of a call. `least` is the smallest number of output tokens to which it may be shortened. */
const call = { price: Schema.Literals([0, 1, 1, 2, 2, 3]), tokens, least: Schema.Literals([0, 1, 2, 2]) }

/**
 * The acts on the calls of two runs of one workspace. The number of a call is taken modulo their count. A choice that stands here twice,
 * as in the literals above, is drawn twice as often.
 */
export const LedgerAct = Schema.Union([
  /** A call asks for a reservation; a doomed one expires at once. */
  Schema.Struct({ act: Schema.Literal("reserve"), run: Schema.Literals([0, 1]), ...call, doomed: Schema.Boolean }),
  Schema.Struct({ act: Schema.Literal("reserve"), run: Schema.Literals([0, 1]), ...call, doomed: Schema.Boolean }),
  /** A caller asks again, since the response was lost. */
  Schema.Struct({ act: Schema.Literal("reserveAgain"), call: number }),
  Schema.Struct({ act: Schema.Literal("settle"), call: number, tokens }),
  Schema.Struct({ act: Schema.Literal("settle"), call: number, tokens }),
  /** A settlement whose transaction fails: its worker crashes before the commit. */
  Schema.Struct({ act: Schema.Literal("crash"), call: number, tokens }),
  Schema.Struct({ act: Schema.Literal("expire") }),
  Schema.Struct({ act: Schema.Literal("cap"), month: cap, run: cap }),
  Schema.Struct({
    act: Schema.Literal("together"),
    calls: Schema.Array(Schema.Struct(call)).check(Schema.isMaxLength(6))
  })
])
export type LedgerAct = typeof LedgerAct.Type

/** An amount of `units` times a cent and a trillionth, plus `off` trillionths of a dollar, so that every decimal matters. */
const usd = (units: number, off = 0) =>
  writeUsd(BigDecimal.make(BigInt(units) * 10_000_000_001n + BigInt(off), USD_DECIMALS))

export const capOf = (cap: { readonly units: number; readonly off: number } | null) => cap && usd(cap.units, cap.off)

const aPrice = (input: string, output: string, requestUsd = ZERO_USD): Price => ({
  version: "prices@1",
  input: flatRate(input),
  cacheRead: undefined,
  cacheWrite: undefined,
  output: flatRate(output),
  reasoning: undefined,
  requestUsd
})

/** No price; a unit for each token; the same with a unit for the request; and a third of a unit, which is always rounded. */
const PRICES = [
  undefined,
  aPrice("10000.000001", "10000.000001"),
  aPrice("10000.000001", "20000.000002", usd(1)),
  aPrice("3333.333333666667", "3333.333333666667")
] as const

export interface ModelCall {
  readonly call: NewReservation
  /** The amount that was reserved for it. */
  amountUsd: string | null
  readonly run: number
  readonly price: Price | undefined
  readonly doomed: boolean
  state: "open" | "settled" | "refused"
  costUsd: string | null
}

export const makeWorld = Effect.gen(function* () {
  const first = yield* aBilledRun()
  return {
    runs: [first, yield* aBilledRun(first)] as ReadonlyArray<BilledRun>,
    calls: [] as Array<ModelCall>,
    caps: { workspaceCapUsd: usd(20), runCapUsd: usd(12, -1) } as Pick<NewReservation, "workspaceCapUsd" | "runCapUsd">,
    marks: { isNear: false, reachedCapUsd: null as string | null }
  }
})
export type World = Effect.Success<typeof makeWorld>

export const sums = (calls: ReadonlyArray<ModelCall>) => ({
  spentUsd: addUsd(ZERO_USD, ...calls.map(({ costUsd }) => costUsd ?? ZERO_USD)),
  reservedUsd: addUsd(ZERO_USD, ...calls.filter(({ state }) => state === "open").map((one) => heldFor(one.amountUsd)))
})

export const ofRun = ({ calls }: World, run: number) => calls.filter((call) => call.run === run)

/** The verdict of the rule in `Cap.ts`, which every adapter must follow. */
export const verdict = (world: World, run: number, asked: Parameters<typeof verdictOn>[0]) =>
  verdictOn(asked, sums(world.calls), sums(ofRun(world, run)))

export const aModelCall = (
  { caps, runs }: World,
  run: number,
  asked: { readonly price: 0 | 1 | 2 | 3; readonly tokens: Tokens; readonly least: number },
  doomed: boolean
): ModelCall => {
  const price = PRICES[asked.price]
  const { input, output } = asked.tokens
  const outputTokensMin = Math.min(asked.least, output)
  const bounds = { inputTokensMax: input, outputTokensMax: output, outputTokensMin }
  return {
    call: aReservation({
      ...runs[run]!,
      ...caps,
      ...bounds,
      rates: price === undefined ? null : worstRatesOf(price, input),
      priceVersion: price?.version ?? null,
      holdSeconds: doomed ? 0 : 3_600
    }),
    amountUsd: null,
    run,
    price,
    doomed,
    state: "refused",
    costUsd: null
  }
}

/** The cost of a call that used these tokens, which may be more than its reservation. */
export const costWith = ({ price }: ModelCall, { input, output }: Tokens) =>
  price === undefined ? null : costOf(price, { ...NO_TOKENS, inputTokens: input, outputTokens: output })
