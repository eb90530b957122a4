/** The table of docs/billing.md: the usage of providers, our count, and its price. */
import { readdirSync, readFileSync } from "node:fs"
import { costOf, PriceBook, type UsageDialect, usageOfAnswer } from "@agent-platform/billing"
import { GenaiPriceBook } from "@agent-platform/models"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"

const FIXTURES = new URL("./fixtures/usage/", import.meta.url)
const DOCUMENT = new URL("../../../docs/billing.md", import.meta.url)
const AT = DateTime.makeUnsafe("2026-11-21T12:00:00Z")

const rows = readFileSync(DOCUMENT, "utf8")
  .split("\n")
  .filter((line) => /^\| `(openai|anthropic|google|openai_compatible)` \|/.test(line))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`|`$/g, ""))
  )

const answerOf = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), "utf8"))

describe("the table of what providers say", () => {
  it("has every recorded answer, once", () => {
    const recorded = readdirSync(FIXTURES).map((name) => name.replace(/\.json$/, ""))
    assert.sameMembers(
      rows.map(([, , , answer]) => answer),
      recorded
    )
  })

  for (const [dialect = "", provider = "", model = "", answer = "", ...counted] of rows) {
    it.effect(`reads the tokens and the price of ${answer}`, () =>
      Effect.gen(function* () {
        const usage = usageOfAnswer(dialect as UsageDialect, answerOf(answer))
        const cells =
          usage === undefined
            ? ["", "", "", "", ""]
            : [
                usage.inputTokens,
                usage.cacheReadTokens,
                usage.cacheWriteTokens,
                usage.outputTokens,
                usage.reasoningTokens
              ].map(String)
        const price = yield* PriceBook.use((book) => book.find(provider, model, AT))
        assert.isDefined(price)
        const cost = usage === undefined ? "" : costOf(price!, usage)
        assert.deepStrictEqual([...cells, cost], counted)
      }).pipe(Effect.provide(GenaiPriceBook.layer))
    )
  }
})
