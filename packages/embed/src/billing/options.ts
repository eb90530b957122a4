/** The options of `createBilling`, checked before anything else happens. */
import { createHash } from "node:crypto"
import { addUsd, flatRate, type Price, ZERO_USD } from "@agent-platform/billing"
import { type Place, placeOf } from "../internal/database.ts"
import { invalidOption } from "../internal/inputs.ts"

/** The price of a model: USD per million tokens, as decimals. */
export interface ModelPrice {
  readonly inputUsd: string
  readonly outputUsd: string
  /** The price of input unless given. */
  readonly cacheReadUsd?: string
  /** The price of input unless given. */
  readonly cacheWriteUsd?: string
  /** USD for the call itself, whatever its tokens. */
  readonly callUsd?: string
}

/** `database` or `memory: true`, and `prices`; all else has a default. */
export type BillingOptions<Model extends string = string> = Place & {
  /** The models that there are, and what they cost from now on. What was settled stays as it is. */
  readonly prices: Readonly<Record<Model, ModelPrice>>
  /** The cap of every customer that has none of its own, in USD a month; none unless given. */
  readonly capUsd?: string | null | undefined
}

const MODELS_MAX = 10_000

/** Whether a text is an amount that `numeric(24, 12)` holds. */
const isUsd = (value: unknown): value is string => typeof value === "string" && /^\d{1,12}(?:\.\d{1,12})?$/.test(value)

/** A cap in the form in which it is shown; undefined for a value that is no cap. */
export const readCap = (value: unknown): string | null | undefined => {
  if (value === null) return null
  return isUsd(value) ? addUsd(value) : undefined
}

const priceOf = (model: string, given: ModelPrice): Price => {
  if (typeof given !== "object" || given === null) throw invalidOption(`prices has inputUsd and outputUsd for ${model}`)
  const { cacheReadUsd, cacheWriteUsd, callUsd = ZERO_USD, inputUsd, outputUsd } = given
  const usd = (name: string, value: unknown): string => {
    if (isUsd(value)) return value
    throw invalidOption(`${name} of ${model} is USD as a decimal text, as "0.15": ${JSON.stringify(value)} is not`)
  }
  const hash = createHash("sha256").update(JSON.stringify([inputUsd, outputUsd, cacheReadUsd, cacheWriteUsd, callUsd]))
  return {
    version: `host@${hash.digest("hex").slice(0, 12)}`,
    input: flatRate(usd("inputUsd", inputUsd)),
    cacheRead: cacheReadUsd === undefined ? undefined : flatRate(usd("cacheReadUsd", cacheReadUsd)),
    cacheWrite: cacheWriteUsd === undefined ? undefined : flatRate(usd("cacheWriteUsd", cacheWriteUsd)),
    output: flatRate(usd("outputUsd", outputUsd)),
    reasoning: undefined,
    requestUsd: usd("callUsd", callUsd)
  }
}

/** The options in force. */
export const readOptions = (options: BillingOptions) => {
  const { capUsd = null, log, prices } = options
  const installation = placeOf("billing", options)
  const entries = typeof prices === "object" && prices !== null ? Object.entries(prices) : []
  if (entries.length === 0 || entries.length > MODELS_MAX) throw invalidOption(`prices names 1 to ${MODELS_MAX} models`)
  const wrong = entries.find(([model]) => !/^[\x21-\x7e]{1,200}$/.test(model))
  if (wrong !== undefined)
    throw invalidOption(`A model is 1 to 200 visible ASCII characters: ${JSON.stringify(wrong[0])} is not`)
  const cap = readCap(capUsd)
  if (cap === undefined) throw invalidOption('capUsd is USD as a decimal text, as "25", or null')
  return {
    installation,
    capUsd: cap,
    log,
    prices: new Map(entries.map(([model, price]) => [model, priceOf(model, price)]))
  }
}

export type BillingSettings = ReturnType<typeof readOptions>
