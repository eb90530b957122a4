/** The parts that providers can reuse of a conversation that they are sent again and again. */
import { costOf, PriceBook } from "@agent-platform/billing"
import { GenaiPriceBook } from "@agent-platform/models"
import { startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { RecordedSpend } from "./RecordedSpend.ts"
import { blocksOf, STEPS, tenCalls } from "./rememberingProvider.ts"
import { ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, trigger } from "./support.ts"
import { answerOf } from "./wires.ts"

/** A conversation of ten calls for a tool and a last answer, with a model of Anthropic. */
const conversation = Effect.fnUntraced(function* (promptCache: "auto" | "off", instructions: string | null) {
  const caller = yield* founded()
  yield* aKey(caller, { provider: "anthropic" })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  server.script(tenCalls())
  const settings = { model: "anthropic/claude-sonnet-4-5", tools: ["http_request"], instructions }
  const agent = yield* aChatAgent(caller, { ...settings, modelSettings: { promptCache } })
  const run = yield* ended(caller, (yield* trigger(caller, agent)).id)
  assert.deepInclude(run, { status: "succeeded", message: "Done" })
  const usage = (yield* RecordedSpend).calls.flatMap(({ end }) => end?.usage ?? [])
  assert.strictEqual(usage.length, STEPS + 1)
  return { asked: server.asked, usage }
})

const price = PriceBook.use((book) =>
  book.find("anthropic", "claude-sonnet-4-5", DateTime.makeUnsafe("2026-11-21T12:00:00Z"))
)

describe("A conversation of many steps", () => {
  for (const instructions of ["Be brief. ".repeat(200), null]) {
    it.live(
      `is sent so that Anthropic can reuse all but its end, ${instructions === null ? "without" : "with"} instructions`,
      () =>
        Effect.gen(function* () {
          const { asked, usage } = yield* conversation("auto", instructions)
          for (const request of asked) assert.isAtMost(blocksOf(request).marks.length, 4)
          for (const [place, { cacheReadTokens, cacheWriteTokens, inputTokens }] of usage.entries()) {
            const before = usage[place - 1]
            // All that the request before it had is read, and what is new is remembered for the next one.
            if (before !== undefined) assert.isAtLeast(cacheReadTokens, before.inputTokens - 2)
            assert.isAtMost(inputTokens - cacheReadTokens - cacheWriteTokens, 1)
          }
          const model = yield* price
          if (model === undefined) return assert.fail("The model has a price")
          const sum = (all: typeof usage) => all.reduce((cost, one) => cost + Number(costOf(model, one)), 0)
          const unread = usage.map((one) => ({ ...one, cacheReadTokens: 0, cacheWriteTokens: 0 }))
          assert.isBelow(sum(usage), sum(unread) / 2)
        }).pipe(Effect.scoped, Effect.provide(layer), Effect.provide(GenaiPriceBook.layer))
    )
  }

  it.live("is not remembered where the agent does not want it", () =>
    Effect.gen(function* () {
      const { asked, usage } = yield* conversation("off", "Be brief.")
      for (const request of asked) assert.isEmpty(blocksOf(request).marks)
      for (const one of usage) assert.strictEqual(one.cacheReadTokens + one.cacheWriteTokens, 0)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("names its session to OpenAI, which finds what it remembers by that", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      yield* aKey(caller, { provider: "openai" })
      yield* startRunWorker({ drainSeconds: 0 })
      const server = yield* ScriptedServer
      server.script(answerOf.openai({ text: "Hi" }))
      const keys: Array<unknown> = []
      for (const promptCache of ["auto", "off"] as const) {
        const agent = yield* aChatAgent(caller, { model: "openai/gpt-5", modelSettings: { promptCache } })
        const run = yield* ended(caller, (yield* trigger(caller, agent)).id)
        keys.push([server.asked.at(-1)?.body["prompt_cache_key"], run.sessionId])
      }
      const [[named, session], [unnamed]] = keys as [[string, string], [undefined, string]]
      assert.strictEqual(named, session)
      assert.isUndefined(unnamed)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
