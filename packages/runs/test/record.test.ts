/** Nobody waits for somebody else's record. docs/http.md, Records. */
import {
  canonicalPieces,
  collectRecord,
  encoded,
  type ListedItem,
  type RecordDocument,
  recordHtml,
  recordMarkdown,
  streamed
} from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { BLOCK_BYTES } from "../src/record/blocks.ts"

const LINE = 'some "words" of a log & more '.repeat(2_000)

const entryOf = (text: string | ReadonlyArray<string>, index: number): ListedItem => ({
  list: "timeline",
  value: { attempt: 1, created_at: "2026-11-21T05:15:00.000Z", data: { text }, seq: index + 1, type: "log" }
})

const collected = (texts: ReadonlyArray<Parameters<typeof entryOf>[0]>) =>
  collectRecord(
    { record_version: 1, run: { status: "succeeded", message: "done" }, approvals: [] },
    Stream.fromIterable(texts.map(entryOf))
  )

/** How often somebody else has a turn while this is done. */
const turnsDuring = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  let turns = 0
  const other = Effect.sync(() => {
    turns += 1
  })
  const others = yield* Effect.forkChild(Effect.forever(other))
  const done = yield* effect
  yield* Fiber.interrupt(others)
  return { done, turns }
})

describe("a record for people", () => {
  it.effect("shows the calls that somebody decided on, and the decisions", () =>
    Effect.gen(function* () {
      const answer = {
        run_id: "r",
        message: null,
        answered_at: "2026-11-21T05:16:00.000Z",
        reply: { approvals: [{ tool_call_id: "a", decision: "deny", reason: "Too much" }] }
      }
      const interrupt = { type: "approvals", calls: [{ tool_call_id: "a", name: "refund", input: { amount: 40 } }] }
      const approval = { question: "Approval is asked for: refund", interrupt, status: "answered", answer }
      const document = yield* collectRecord(
        { record_version: 1, run: { status: "succeeded", message: "done" }, approvals: [approval] },
        Stream.empty
      )
      for (const text of [recordHtml(document, 0), recordMarkdown(document)]) {
        const whole = [...text].join("").replaceAll("&quot;", '"')
        assert.include(whole, '"amount"')
        assert.include(whole, '"Too much"')
      }
    })
  )
})

describe("a large record", () => {
  it.effect("is collected in steps between which others have their turn", () =>
    Effect.gen(function* () {
      const { turns } = yield* turnsDuring(collected(Array.from({ length: 100 }, () => LINE)))
      assert.isAtLeast(turns, 50)
    })
  )

  for (const [format, piecesOf] of [
    ["JSON", canonicalPieces],
    ["a page", (document: RecordDocument) => encoded(recordHtml(document, 0))],
    ["Markdown", (document: RecordDocument) => encoded(recordMarkdown(document))]
  ] as const) {
    it.effect(`is written as ${format} in blocks of one size, with turns of others between them`, () =>
      Effect.gen(function* () {
        const document = yield* collected(Array.from({ length: 100 }, () => LINE))
        const { done, turns } = yield* turnsDuring(Stream.runCollect(streamed(() => piecesOf(document))))
        assert.isAbove(done.length, (100 * LINE.length) / BLOCK_BYTES)
        assert.isTrue(done.slice(0, -1).every(({ length }) => length === BLOCK_BYTES))
        assert.isAtLeast(turns, done.length)
      })
    )
  }

  // Looked for line ends from each of its spaces, such a text would keep a processor busy for minutes.
  it.effect("is written as Markdown whatever white space is in it", () =>
    Effect.gen(function* () {
      const document = yield* collected([`${" ".repeat(1_000_000)}x`])
      assert.match([...recordMarkdown(document)].join(""), / x\\"/)
    })
  )

  it.effect("that would be too large even as JSON is cut, says so, and keeps its end", () =>
    Effect.gen(function* () {
      const texts = Array.from({ length: 600 }, (_, number) => `${number} ${LINE}`)
      const { head, lists } = yield* collected(texts)
      assert.isTrue(head["timeline_truncated"])
      assert.isFalse(head["messages_truncated"])
      const bytes = lists.timeline.reduce((sum, { length }) => sum + length, 0)
      assert.isBelow(bytes, 25 * 1024 * 1024)
      assert.strictEqual(JSON.parse(Buffer.from(lists.timeline.at(-1)!).toString()).seq, 600)
    })
  )

  it.effect("of many entries has ten thousand of them, the last included", () =>
    Effect.gen(function* () {
      const whole = yield* collected(Array.from({ length: 10_000 }, () => "x"))
      assert.deepStrictEqual([whole.lists.timeline.length, whole.head["timeline_truncated"]], [10_000, false])
      const cut = yield* collected(Array.from({ length: 10_001 }, () => "x"))
      assert.deepStrictEqual([cut.lists.timeline.length, cut.head["timeline_truncated"]], [10_000, true])
      assert.strictEqual(JSON.parse(Buffer.from(cut.lists.timeline.at(-1)!).toString()).seq, 10_001)
    })
  )

  it.effect("lists so many places where secrets were, and counts what it found elsewhere", () =>
    Effect.gen(function* () {
      const secrets = Array.from({ length: 200 }, () => `${"whsec"}_QUJDQUJDQUJD`)
      const { lists, redacted } = yield* collected(Array.from({ length: 101 }, () => secrets))
      assert.strictEqual(redacted, 101 * 200)
      assert.strictEqual(lists.redactions.length, 10_001)
      assert.deepStrictEqual(JSON.parse(Buffer.from(lists.redactions.at(-1)!).toString()), {
        count: 101 * 200 - 10_000,
        kind: "webhook_secret",
        pointer: ""
      })
    })
  )
})
