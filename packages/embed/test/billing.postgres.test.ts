/** Billing of a host's customers, in memory and in its database alike. */
import { createBilling, type EmbeddedBilling } from "@agent-platform/embed/billing"
import { assert, describe, it } from "vitest"
import { sharedHost } from "./database.ts"
import { refusal } from "./refusal.ts"

const host = sharedHost()

const OWN = [
  "call_reservation",
  "erasure",
  "fingerprint_key",
  "idempotency_key",
  "job_run",
  "model_call",
  "model_call_default",
  "platform_migration",
  "run_spend",
  "spend_cap",
  "workspace_spend"
]

/** 1 USD per million tokens in, 2 out: a call of these costs 0.10 USD at most. */
const prices = { small: { inputUsd: "1", outputUsd: "2", cacheReadUsd: "0.1" } } as const
const model = "small"
const maxTokens = { input: 80_000, output: 10_000 }
const whole = { inputTokens: 80_000, outputTokens: 10_000 }

const places: ReadonlyArray<readonly [string, () => EmbeddedBilling<"small">]> = [
  ["in memory", () => createBilling({ memory: true, prices, capUsd: "1" })],
  ["in the host's pool", () => createBilling({ database: host().pool, prices, capUsd: "1" })],
  ["by a URL", () => createBilling({ database: host().url, schema: "by_url", prices, capUsd: "1" })]
]

for (const [place, open] of places) {
  describe(`billing ${place}`, () => {
    it("holds back while a call is under way, and settles it by its usage", async () => {
      await using billing = open()
      await billing.migrate()
      const customer = "Acme & Söhne"
      const usage = { inputTokens: 30_000, cacheReadTokens: 20_000, outputTokens: 5_000 }
      const answer = await billing.metered({ customer, model, maxTokens }, async () => {
        assert.deepInclude(await billing.spend(customer), { spentUsd: "0.00", heldBackUsd: "0.10" })
        return { text: "hello", usage }
      })
      assert.deepStrictEqual(answer, { text: "hello", usage })
      const spend = await billing.spend(customer)
      assert.deepInclude(spend, { customer, spentUsd: "0.022", heldBackUsd: "0.00", capUsd: "1.00" })
      assert.match(spend.month, /^\d{4}-\d\d$/)
      assert.deepInclude(await billing.spend("other"), { spentUsd: "0.00" })
    })

    it("sends no more than fits under the cap, however many ask at once, and more once it is raised", async () => {
      await using billing = open()
      await billing.migrate()
      const customer = "capped"
      assert.strictEqual((await billing.setCap(customer, "0.3")).capUsd, "0.30")
      let sent = 0
      const send = async () => {
        sent += 1
        return { usage: whole }
      }
      const all = await Promise.allSettled(
        Array.from({ length: 8 }, () => billing.metered({ customer, model, maxTokens }, send))
      )
      assert.strictEqual(all.filter(({ status }) => status === "fulfilled").length, 3)
      assert.strictEqual(sent, 3)
      const error = await refusal(() => billing.metered({ customer, model, maxTokens }, send))
      assert.strictEqual(error.code, "cap_reached")
      assert.deepInclude(error.details, { spentUsd: "0.30", heldBackUsd: "0.00" })
      await billing.setCap(customer, null)
      await billing.metered({ customer, model, maxTokens }, send)
      assert.deepInclude(await billing.spend(customer), { spentUsd: "0.40", capUsd: null })
    })

    it("counts all that was held back where nobody says what was used", async () => {
      await using billing = open()
      await billing.migrate()
      const customer = "silent"
      const fault = new Error("The provider hung up")
      const failed = billing.metered({ customer, model, maxTokens }, () => Promise.reject(fault))
      assert.strictEqual(await failed.catch((error: unknown) => error), fault)
      assert.deepInclude(await billing.spend(customer), { spentUsd: "0.10", heldBackUsd: "0.00" })
      await billing.metered({ customer, model, maxTokens }, async () => ({}))
      assert.deepInclude(await billing.spend(customer), { spentUsd: "0.20", heldBackUsd: "0.00" })
    })
  })
}

describe("billing in a host's database", () => {
  it("has tables of its own, by name, and nothing else", async () => {
    const before = await host().everythingBut()
    await using billing = createBilling({ database: host().url, schema: "named", prices })
    assert.strictEqual((await refusal(() => billing.spend("acme"))).code, "not_migrated")
    assert.include(await billing.migrate(), "metering_0001_first")
    const tables = await host().tablesIn("named")
    assert.deepStrictEqual(
      tables.filter((name) => !/_\d{4}_\d\d$/.test(name)),
      OWN
    )
    assert.strictEqual(await host().everythingBut("named"), before)
    assert.deepStrictEqual(await billing.migrate(), [])
  })

  it("refuses what cannot be", async () => {
    const given: ReadonlyArray<readonly [unknown, string]> = [
      [{ prices }, "option_invalid"],
      [{ memory: true, prices: {} }, "option_invalid"],
      [{ memory: true, prices: { small: { inputUsd: 1, outputUsd: "2" } } }, "option_invalid"],
      [{ memory: true, prices, capUsd: "-1" }, "option_invalid"]
    ]
    for (const [options, code] of given) {
      const error = await refusal(() => createBilling(options as Parameters<typeof createBilling>[0]))
      assert.strictEqual(error.code, code, JSON.stringify(options))
    }
    await using billing = createBilling({ memory: true, prices })
    const send = () => assert.fail("It was sent")
    // @ts-expect-error It must not compile, since only models with a price have a name; what JavaScript sends is refused all the same.
    const unpriced = () => billing.metered({ customer: "a", model: "large", maxTokens }, send)
    assert.strictEqual((await refusal(unpriced)).code, "model_unpriced")
    const beyond = () => billing.metered({ customer: "a", model, maxTokens: { input: -1, output: 0 } }, send)
    assert.strictEqual((await refusal(beyond)).code, "input_invalid")
    assert.strictEqual((await refusal(() => billing.setCap("a", "x"))).code, "input_invalid")
    assert.strictEqual((await refusal(() => billing.spend(""))).code, "tenant_invalid")
  })
})
