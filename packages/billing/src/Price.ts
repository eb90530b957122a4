/** The price of a model's tokens, and the cost of a call by it. */
import { BigDecimal } from "effect"
import { readUsd, writeUsd } from "./Money.ts"
import type { TokenUsage } from "./TokenUsage.ts"

/**
 * USD per million tokens, as decimals. With tiers, the size of a call's whole input decides for all of the call's tokens: the
 * last tier whose `above` the input exceeds, else `base`.
 */
export interface Rate {
  readonly base: string
  /** By `above`, ascending. */
  readonly tiers: ReadonlyArray<{ readonly above: number; readonly usd: string }>
}

/** The rates of one model. A kind of token without a rate of its own costs as much as the kind that includes it. */
export interface Price {
  /** The source of the price: the catalogue with its version, or the id of an override. */
  readonly version: string
  readonly input: Rate
  /** Undefined: as `input`. */
  readonly cacheRead: Rate | undefined
  /** Undefined: as `input`. */
  readonly cacheWrite: Rate | undefined
  readonly output: Rate
  /** Undefined: as `output`, which includes reasoning. */
  readonly reasoning: Rate | undefined
  /** USD for the request itself, whatever its tokens. */
  readonly requestUsd: string
}

/** A rate without tiers. */
export const flatRate = (usd: string): Rate => ({ base: usd, tiers: [] })

const MILLION = BigDecimal.fromBigInt(1_000_000n)

const count = (tokens: number) => BigDecimal.fromBigInt(BigInt(tokens))

const rateFor = (rate: Rate, inputTokens: number): BigDecimal.BigDecimal =>
  readUsd(rate.tiers.findLast(({ above }) => inputTokens > above)?.usd ?? rate.base)

const perMillion = (amounts: ReadonlyArray<readonly [tokens: number, rate: BigDecimal.BigDecimal]>) =>
  BigDecimal.divideUnsafe(
    BigDecimal.sumAll(amounts.map(([tokens, rate]) => BigDecimal.multiply(count(tokens), rate))),
    MILLION
  )

/** The cost of the call's tokens, in USD. Tokens that the cache gave or took are not paid as input a second time. */
export const costOf = (price: Price, usage: TokenUsage): string => {
  const { cacheReadTokens, cacheWriteTokens, inputTokens, outputTokens, reasoningTokens } = usage
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens)
  const said = Math.max(0, outputTokens - reasoningTokens)
  const at = (rate: Rate) => rateFor(rate, inputTokens)
  const tokens = perMillion([
    [fresh, at(price.input)],
    [cacheReadTokens, at(price.cacheRead ?? price.input)],
    [cacheWriteTokens, at(price.cacheWrite ?? price.input)],
    [said, at(price.output)],
    [reasoningTokens, at(price.reasoning ?? price.output)]
  ])
  return writeUsd(BigDecimal.sum(tokens, readUsd(price.requestUsd)))
}

const highest = (rates: ReadonlyArray<BigDecimal.BigDecimal>) =>
  rates.reduce((one, other) => BigDecimal.max(one, other), BigDecimal.fromBigInt(0n))

const reachable = ({ base, tiers }: Rate, inputTokensMax: number): ReadonlyArray<BigDecimal.BigDecimal> =>
  [base, ...tiers.filter(({ above }) => inputTokensMax > above).map(({ usd }) => usd)].map(readUsd)

/** The most that a call can cost, as a function of its output tokens: exact decimals in USD, of any number of places. */
export interface WorstRates {
  /** The cost of its input and of the request itself. */
  readonly baseUsd: string
  /** The cost of each output token. */
  readonly outputTokenUsd: string
}

/** The highest rates at which a call with at most `inputTokensMax` can be charged, with or without cache hits. */
export const worstRatesOf = (price: Price, inputTokensMax: number): WorstRates => {
  const highestOf = (...rates: ReadonlyArray<Rate | undefined>) =>
    highest(rates.flatMap((rate) => (rate === undefined ? [] : reachable(rate, inputTokensMax))))
  const input = perMillion([[inputTokensMax, highestOf(price.input, price.cacheRead, price.cacheWrite)]])
  return {
    baseUsd: BigDecimal.format(BigDecimal.sum(input, readUsd(price.requestUsd))),
    outputTokenUsd: BigDecimal.format(perMillion([[1, highestOf(price.output, price.reasoning)]]))
  }
}

/** The most that a call at these rates costs with `outputTokens`, in USD. Postgres computes it once more, under its locks: `reserve.ts`. */
export const worstCostAt = ({ baseUsd, outputTokenUsd }: WorstRates, outputTokens: number): string =>
  writeUsd(BigDecimal.sum(readUsd(baseUsd), BigDecimal.multiply(count(outputTokens), readUsd(outputTokenUsd))), "up")

/** Most output tokens, up to `max`, with which a call costs no more than `usd`; undefined where its input alone costs more. */
export const outputTokensWithin = (
  { baseUsd, outputTokenUsd }: WorstRates,
  usd: BigDecimal.BigDecimal,
  max: number
): number | undefined => {
  const left = BigDecimal.subtract(usd, readUsd(baseUsd))
  if (left.value < 0n) return undefined
  const each = readUsd(outputTokenUsd)
  if (each.value === 0n) return max
  const scale = Math.max(left.scale, each.scale)
  const fitting = BigDecimal.scale(left, scale).value / BigDecimal.scale(each, scale).value
  return fitting < BigInt(max) ? Number(fitting) : max
}

/** The most that a call within these token limits can cost in USD, with or without cache hits. */
export const worstCostOf = (
  price: Price,
  { inputTokensMax, outputTokensMax }: { readonly inputTokensMax: number; readonly outputTokensMax: number }
): string => worstCostAt(worstRatesOf(price, inputTokensMax), outputTokensMax)
