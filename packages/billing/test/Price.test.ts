import {
  costOf,
  effectiveOverride,
  flatRate,
  NO_TOKENS,
  overriddenPrice,
  type Price,
  readUsd,
  worstCostOf,
  writeUsd
} from "@agent-platform/billing"
import { aPriceOverride, CALLED_AT } from "@agent-platform/billing/testing"
import { aCaller } from "@agent-platform/kernel/testing"
import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, DateTime } from "effect"

const PLAIN: Price = {
  version: "prices@1",
  input: flatRate("3.00"),
  cacheRead: flatRate("0.30"),
  cacheWrite: flatRate("3.75"),
  output: flatRate("15.00"),
  reasoning: undefined,
  requestUsd: "0.00"
}

const TIERED: Price = {
  ...PLAIN,
  input: { base: "1.25", tiers: [{ above: 200_000, usd: "2.50" }] },
  cacheRead: undefined,
  cacheWrite: undefined,
  output: { base: "10.00", tiers: [{ above: 200_000, usd: "15.00" }] }
}

describe("what a call costs", () => {
  const cases: ReadonlyArray<readonly [string, Price, Partial<typeof NO_TOKENS>, string]> = [
    ["nothing", PLAIN, {}, "0.00"],
    ["one token", PLAIN, { inputTokens: 1 }, "0.000003"],
    [
      "each kind once",
      PLAIN,
      { inputTokens: 20_726, cacheReadTokens: 18_820, cacheWriteTokens: 1_885, outputTokens: 393 },
      "0.01867275"
    ],
    ["reasoning as output", PLAIN, { outputTokens: 100, reasoningTokens: 90 }, "0.0015"],
    [
      "reasoning by its own rate",
      { ...PLAIN, reasoning: flatRate("1.00") },
      { outputTokens: 100, reasoningTokens: 90 },
      "0.00024"
    ],
    ["a cache without a rate as input", TIERED, { inputTokens: 1_000, cacheReadTokens: 800 }, "0.00125"],
    ["the last size of a tier by the tier below", TIERED, { inputTokens: 200_000, outputTokens: 1_000 }, "0.26"],
    ["all tokens by the tier of the whole input", TIERED, { inputTokens: 200_001, outputTokens: 1_000 }, "0.5150025"],
    ["the request itself", { ...PLAIN, requestUsd: "0.005" }, { inputTokens: 1 }, "0.005003"],
    ["more cached than there is as no less than nothing", PLAIN, { inputTokens: 10, cacheReadTokens: 20 }, "0.000006"],
    ["half a unit rounded up", { ...PLAIN, input: flatRate("0.0000005") }, { inputTokens: 1 }, "0.000000000001"],
    ["less than half a unit rounded down", { ...PLAIN, input: flatRate("0.0000004") }, { inputTokens: 1 }, "0.00"]
  ]
  for (const [what, price, usage, cost] of cases) {
    it(`counts ${what}`, () => assert.strictEqual(costOf(price, { ...NO_TOKENS, ...usage }), cost))
  }
})

describe("the most that a call can cost", () => {
  it("goes by the dearest rate for input, whatever the cache does, and is rounded up", () => {
    const bounds = { inputTokensMax: 1_000, outputTokensMax: 100 }
    assert.strictEqual(worstCostOf(PLAIN, bounds), "0.00525")
    const tiny = { ...PLAIN, input: flatRate("0.0000001"), cacheRead: undefined, cacheWrite: undefined }
    assert.strictEqual(worstCostOf(tiny, { inputTokensMax: 1, outputTokensMax: 0 }), "0.000000000001")
  })

  it("takes in the tiers that the call can come to, and no others", () => {
    assert.strictEqual(worstCostOf(TIERED, { inputTokensMax: 200_000, outputTokensMax: 0 }), "0.25")
    assert.strictEqual(worstCostOf(TIERED, { inputTokensMax: 200_001, outputTokensMax: 0 }), "0.5000025")
  })

  it("is never less than what a call of the size costs", () => {
    for (let size = 0; size < 400_000; size += 7_919) {
      for (const price of [PLAIN, TIERED]) {
        const worst = readUsd(worstCostOf(price, { inputTokensMax: size, outputTokensMax: size % 5_000 }))
        const usage = { ...NO_TOKENS, inputTokens: size, cacheReadTokens: size % 1_000, outputTokens: size % 5_000 }
        assert.isTrue(BigDecimal.isGreaterThanOrEqualTo(worst, readUsd(costOf(price, usage))), `${size} tokens`)
      }
    }
  })
})

describe("amounts", () => {
  it("are written with 2 to 12 decimals, however large they are", () => {
    const written = (text: string) => writeUsd(BigDecimal.fromStringUnsafe(text))
    assert.deepStrictEqual(["0", "12.5", "0.00027", "100000000000000000000", "0.1234567890125", "1e-13"].map(written), [
      "0.00",
      "12.50",
      "0.00027",
      "100000000000000000000.00",
      "0.123456789013",
      "0.00"
    ])
  })

  it("are never below zero", () => assert.throws(() => readUsd("-0.01")))
})

describe("prices of one's own", () => {
  const at = (days: number) => DateTime.add(CALLED_AT, { days })

  it("hold from when they begin until a later one does, the workspace's own before everybody's", () => {
    const scope = aCaller()
    const everybodys = [aPriceOverride({ effectiveFrom: at(-2) }), aPriceOverride({ effectiveFrom: at(0) })]
    const own = aPriceOverride({ scope, effectiveFrom: at(-1) })
    const all = [everybodys[1]!, own, everybodys[0]!]
    assert.isUndefined(effectiveOverride(all, at(-3)))
    assert.strictEqual(effectiveOverride(all, at(-2)), everybodys[0])
    assert.strictEqual(effectiveOverride(all, at(1)), own)
    assert.strictEqual(effectiveOverride(everybodys, at(1)), everybodys[1])
  })

  it("charge what the cache gives like input unless they say otherwise, and name themselves", () => {
    const override = aPriceOverride({ inputUsd: "2.00", outputUsd: "4.00" })
    const price = overriddenPrice(override)
    assert.strictEqual(price.version, override.id)
    assert.strictEqual(
      costOf(price, { ...NO_TOKENS, inputTokens: 10, cacheReadTokens: 10, outputTokens: 5 }),
      "0.00004"
    )
  })
})
