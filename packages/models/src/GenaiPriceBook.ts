import { flatRate, type Price, PriceBook, type Rate, writeUsd, ZERO_USD } from "@agent-platform/billing"
import type { calcPrice } from "@pydantic/genai-prices"
import { BigDecimal, DateTime, Effect, Layer } from "effect"

/** The release of the catalogue. It says which prices are meant, so it moves together with the pinned dependency. */
export const CATALOGUE_VERSION = "genai-prices@0.1.8"

/** The catalogue's names of providers, where OpenTelemetry and our own keys use others. */
const CATALOGUE_NAMES: Readonly<Record<string, string>> = {
  "gcp.gemini": "google",
  "gcp.gen_ai": "google",
  "gcp.vertex_ai": "google",
  "azure.ai.openai": "azure",
  "azure.ai.inference": "azure",
  "aws.bedrock": "aws",
  mistral_ai: "mistral",
  x_ai: "x-ai"
}

/** A rate as the catalogue has it: numbers as they are written there, and so exact as text. */
type CatalogueRate =
  | number
  | { readonly base: number; readonly tiers: ReadonlyArray<{ readonly start: number; readonly price: number }> }

/** The number as it is written in the catalogue; one that JavaScript writes with an exponent can be read, too. */
const exactly = (usd: number): BigDecimal.BigDecimal => BigDecimal.fromStringUnsafe(String(usd))

const decimal = (usd: number): string => writeUsd(exactly(usd))

const rateOf = (rate: CatalogueRate | undefined): Rate | undefined => {
  if (rate === undefined) return undefined
  if (typeof rate === "number") return flatRate(decimal(rate))
  const tiers = [...rate.tiers].sort((one, other) => one.start - other.start)
  return { base: decimal(rate.base), tiers: tiers.map(({ price, start }) => ({ above: start, usd: decimal(price) })) }
}

/** The units that a call of text is charged for: `mtok` is a million tokens, `kcount` a thousand requests. */
const CHARGED_UNITS: ReadonlySet<string> = new Set([
  "input_mtok",
  "cache_read_mtok",
  "cache_write_mtok",
  "output_mtok",
  "output_reasoning_mtok",
  "requests_kcount"
])

/** Whether a unit is one that no call of text uses: of other media, of searches, or of caches that last an hour. */
const isUnused = (key: string): boolean => /audio|image|video|searches|document|_1h_/.test(key)

const THOUSAND = BigDecimal.fromBigInt(1_000n)

const requestUsdOf = (rate: CatalogueRate | undefined): string =>
  typeof rate === "number" ? writeUsd(BigDecimal.divideUnsafe(exactly(rate), THOUSAND)) : ZERO_USD

/** The price of a model; undefined where there is none, or where it charges for a unit that is not known here. */
const priceBy = (calculate: typeof calcPrice, provider: string, model: string, at: DateTime.Utc): Price | undefined => {
  // Asked about no tokens, to get the rates alone: the amounts that the catalogue computes are floats, and a unit without a price
  // costs nothing in them.
  const found = calculate({}, model, {
    providerId: CATALOGUE_NAMES[provider] ?? provider,
    timestamp: DateTime.toDateUtc(at)
  })
  const rates = found?.model_price as Readonly<Record<string, CatalogueRate | undefined>> | undefined
  const [input, output] = [rateOf(rates?.["input_mtok"]), rateOf(rates?.["output_mtok"])]
  if (rates === undefined || input === undefined || output === undefined) return undefined
  if (Object.keys(rates).some((key) => !CHARGED_UNITS.has(key) && !isUnused(key))) return undefined
  return {
    version: CATALOGUE_VERSION,
    input,
    cacheRead: rateOf(rates["cache_read_mtok"]),
    cacheWrite: rateOf(rates["cache_write_mtok"]),
    output,
    reasoning: rateOf(rates["output_reasoning_mtok"]),
    requestUsd: requestUsdOf(rates["requests_kcount"])
  }
}

/**
 * The catalogue that is part of `@pydantic/genai-prices`: offline, and as it was when it was released. It is loaded with the
 * first question, because many processes never ask one. A model without an entry that can be read has no price.
 */
export const layer: Layer.Layer<PriceBook> = Layer.effect(
  PriceBook,
  Effect.map(Effect.cached(Effect.promise(() => import("@pydantic/genai-prices"))), (loaded) => ({
    find: (provider, model, at) =>
      Effect.flatMap(loaded, ({ calcPrice }) =>
        Effect.try({ try: () => priceBy(calcPrice, provider, model, at), catch: (cause) => cause }).pipe(
          Effect.catch((cause) =>
            Effect.as(Effect.logWarning(`The price of ${provider}/${model} cannot be read`, cause), undefined)
          )
        )
      )
  }))
)
