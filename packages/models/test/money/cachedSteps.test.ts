/** The cost of a long conversation in the ledger, with the cache of its provider and without. */
import { type LedgerEntry, PriceBook } from "@agent-platform/billing"
import { GenaiPriceBook } from "@agent-platform/models"
import { startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, DateTime, Effect } from "effect"
import { blocksOf, STEPS, tenCalls } from "../chat/rememberingProvider.ts"
import { type Asked, ScriptedServer } from "../chat/ScriptedServer.ts"
import { aChatAgent, aKey, ended, trigger } from "../chat/support.ts"
import { capped, entriesOf, layerOf, memory } from "./spending.ts"

const MODEL = "claude-sonnet-4-5"

/** How many blocks at the beginning of a request are those that stood at a mark of the one before. */
const markedBefore = (before: Asked, { texts }: ReturnType<typeof blocksOf>): number => {
  const known = blocksOf(before)
  const isSame = (length: number) => known.texts.slice(0, length).every((text, place) => text === texts[place])
  return Math.max(0, ...known.marks.filter(isSame))
}

/** A conversation of ten calls for a tool: what was asked, what the ledger has of it, and what the run shows. */
const spentOn = Effect.fnUntraced(function* (promptCache: "auto" | "off") {
  const caller = yield* capped("5.00")
  yield* aKey(caller, { provider: "anthropic" })
  const server = yield* ScriptedServer
  server.script(tenCalls())
  const agent = yield* aChatAgent(caller, {
    model: `anthropic/${MODEL}`,
    tools: ["http_request"],
    instructions: "Be brief. ".repeat(200),
    modelSettings: { promptCache }
  })
  const before = server.asked.length
  const run = yield* ended(caller, (yield* trigger(caller, agent)).id)
  assert.deepInclude(run, { status: "succeeded", message: "Done" })
  const entries = (yield* entriesOf(run)).map(({ entry }) => entry)
  assert.strictEqual(entries.length, STEPS + 1)
  return { asked: server.asked.slice(before), entries, costUsd: run.costUsd }
})

const usd = (text: string | null) => BigDecimal.fromStringUnsafe(text ?? "")
const sum = (entries: ReadonlyArray<LedgerEntry>) => BigDecimal.sumAll(entries.map(({ costUsd }) => usd(costUsd)))

/** The cost by the book's rates, written out: each kind of token at its own. */
const byTheBook = Effect.fnUntraced(function* ({
  cacheReadTokens,
  cacheWriteTokens,
  inputTokens,
  outputTokens
}: LedgerEntry) {
  const at = DateTime.makeUnsafe("2026-11-21T12:00:00Z")
  const price = yield* PriceBook.use((book) => book.find("anthropic", MODEL, at))
  if (price?.cacheRead === undefined || price.cacheWrite === undefined)
    return yield* Effect.die("The cache has a price")
  const times = (tokens: number, { base }: typeof price.input) =>
    BigDecimal.multiply(BigDecimal.make(BigInt(tokens), 6), usd(base))
  return BigDecimal.sumAll([
    times(inputTokens - cacheReadTokens - cacheWriteTokens, price.input),
    times(cacheReadTokens, price.cacheRead),
    times(cacheWriteTokens, price.cacheWrite),
    times(outputTokens, price.output)
  ])
})

describe("ten steps with the cache of a provider", () => {
  it.live(
    "cost in the ledger what the book asks for reads and writes, and less than half of what they cost without",
    () =>
      Effect.gen(function* () {
        yield* startRunWorker({ drainSeconds: 0 })
        const cached = yield* spentOn("auto")
        const plain = yield* spentOn("off")
        for (const [place, entry] of cached.entries.entries()) {
          assert.isTrue(BigDecimal.equals(usd(entry.costUsd), yield* byTheBook(entry)), `step ${place}`)
          const [before, now] = [cached.asked[place - 1], cached.asked[place]]
          if (before === undefined || now === undefined) continue
          // On the wire: all that the request before had stands in front of this one, letter by letter, and behind it a mark.
          assert.strictEqual(markedBefore(before, blocksOf(now)), blocksOf(before).texts.length)
          assert.isAbove(entry.cacheReadTokens, 0)
          assert.isAbove(entry.cacheWriteTokens, 0)
        }
        for (const { cacheReadTokens, cacheWriteTokens } of plain.entries) {
          assert.deepStrictEqual([cacheReadTokens, cacheWriteTokens], [0, 0])
        }
        // The same conversation, whatever it costs.
        assert.deepStrictEqual(
          cached.asked.map((asked) => blocksOf(asked).texts.length),
          plain.asked.map((asked) => blocksOf(asked).texts.length)
        )
        for (const { costUsd, entries } of [cached, plain]) assert.isTrue(BigDecimal.equals(usd(costUsd), sum(entries)))
        const half = BigDecimal.divideUnsafe(sum(plain.entries), usd("2"))
        assert.isTrue(BigDecimal.isLessThan(sum(cached.entries), half))
      }).pipe(Effect.scoped, Effect.provide(layerOf({}, memory, GenaiPriceBook.layer)))
  )
})
