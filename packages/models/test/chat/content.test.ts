/** Images and files beside messages, as the model of each provider is shown them. */
import { type ContentPart, Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RecordedSpend } from "./RecordedSpend.ts"
import { type Answer, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, trigger } from "./support.ts"
import { answerOf, MODEL_OF, type Scripted } from "./wires.ts"

/** A dot, as PNG. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const PDF = btoa("%PDF-1.4 a contract")
const image: ContentPart = { type: "image", mediaType: "image/png", source: { type: "data", data: DOT } }
const at = (url: string): ContentPart => ({ type: "image", mediaType: null, source: { type: "url", url } })
const pdf: ContentPart = {
  type: "file",
  mediaType: "application/pdf",
  filename: "contract.pdf",
  source: { type: "data", data: PDF }
}
const csv: ContentPart = {
  type: "file",
  mediaType: "text/csv",
  filename: "orders.csv",
  source: { type: "data", data: btoa("id,sum\n7,é") }
}

const ALL: ReadonlyArray<Scripted> = ["openai", "azure", "anthropic", "google", "openai_compatible"]

/** An agent, and what its model is asked when it is run with this content. */
const given = Effect.fnUntraced(function* (provider: Scripted) {
  const caller = yield* founded()
  yield* aKey(caller, { provider })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  const agent = yield* aChatAgent(caller, { model: MODEL_OF[provider] })
  const run = Effect.fnUntraced(function* (
    content: ReadonlyArray<ContentPart>,
    answers: ReadonlyArray<Answer> = [answerOf[provider]({ text: "Seen" })]
  ) {
    const from = server.asked.length
    server.script(...answers)
    const after = yield* ended(caller, (yield* trigger(caller, agent, { content })).id)
    return { after, texts: server.asked.slice(from).map(({ text }) => text) }
  })
  return { caller, run, server, spend: yield* RecordedSpend }
})

describe("What is sent beside a message", () => {
  for (const provider of ALL) {
    it.live(`is shown to the model of ${provider}, and in later turns again`, () =>
      Effect.gen(function* () {
        const { caller, run, server, spend } = yield* given(provider)
        const { after, texts } = yield* run([{ type: "text", text: "Look:" }, image, pdf, csv])
        assert.deepInclude(after, { status: "succeeded", error: null })
        for (const part of ["Look:", DOT, PDF, "orders.csv:\\nid,sum\\n7,"]) assert.include(texts[0], part)
        // Images are not taken for as many tokens as they have bytes.
        assert.isBelow(spend.calls[0]?.call.inputTokensMax ?? 0, 60_000)
        const reply = { caller, sessionId: after.sessionId, message: "And now?" }
        const { value } = yield* Runs.use((runs) => runs.replyToSession(reply))
        assert.strictEqual((yield* ended(caller, value.id)).status, "succeeded")
        const [last] = server.asked.slice(-1)
        for (const part of [DOT, PDF, "And now?"]) assert.include(last?.text, part)
        assert.notInclude(last?.text, "run_content")
      }).pipe(Effect.scoped, Effect.provide(layer))
    )
  }

  for (const provider of ["openai", "anthropic", "openai_compatible"] as const) {
    it.live(`is named to ${provider} by its address`, () =>
      Effect.gen(function* () {
        const { run } = yield* given(provider)
        const { after, texts } = yield* run([at("https://example.com/a.png")])
        assert.deepInclude(after, { status: "succeeded", error: null })
        assert.include(texts[0], '"https://example.com/a.png"')
      }).pipe(Effect.scoped, Effect.provide(layer))
    )
  }

  it.live("is fetched once for a model that does not read addresses, and fails the run where that cannot be", () =>
    Effect.gen(function* () {
      const { run, server } = yield* given("google")
      const dot: Answer = (response) =>
        void response
          .writeHead(200, { "content-type": "image/png" })
          .end(Uint8Array.from(atob(DOT), (c) => c.charCodeAt(0)))
      const says = answerOf.google({ text: "Seen" })
      const call = answerOf.google({ call: { name: "nothing", input: {} } })
      const { after, texts } = yield* run([at(`${server.url}/dot`)], [dot, call, says])
      assert.deepInclude(after, { status: "succeeded", error: null })
      assert.strictEqual(texts.length, 3)
      for (const text of texts.slice(1)) assert.include(text, DOT)
      const page: Answer = (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>")
      const failed = yield* run([at(`${server.url}/page`)], [page, says])
      assert.deepInclude(failed.after, { status: "failed", errorCode: "invalid_input" })
      assert.include(failed.after.error, "image/png")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is shown beside the answer to a question", () =>
    Effect.gen(function* () {
      const { caller, server } = yield* given("openai_compatible")
      const agent = yield* aChatAgent(caller, { tools: ["ask_user"] })
      const asks = answerOf.openai_compatible({ call: { name: "ask_user", input: { question: "Which?" } } })
      server.script(asks, answerOf.openai_compatible({ text: "Seen" }))
      const asked = yield* ended(caller, (yield* trigger(caller, agent, { content: [pdf] })).id)
      assert.isTrue(asked.paused)
      const reply = { caller, sessionId: asked.sessionId, message: "This", content: [image] }
      const { value } = yield* Runs.use((runs) => runs.replyToSession(reply))
      assert.strictEqual((yield* ended(caller, value.id)).message, "Seen")
      const [last] = server.asked.slice(-1)
      for (const part of [DOT, PDF, "This"]) assert.include(last?.text, part)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is left out, and that is said, where too much came after it", () =>
    Effect.gen(function* () {
      const { caller, run, server } = yield* given("openai_compatible")
      const large = (letter: string): ContentPart =>
        ({ ...image, source: { type: "data", data: letter.repeat(4_000_000) } }) as ContentPart
      const first = yield* run([large("A")])
      for (const letter of ["B", "C"]) {
        const reply = { caller, sessionId: first.after.sessionId, message: letter, content: [large(letter)] }
        const { value } = yield* Runs.use((runs) => runs.replyToSession(reply))
        assert.strictEqual((yield* ended(caller, value.id)).status, "succeeded")
      }
      const text = server.asked.at(-1)?.text ?? ""
      assert.deepStrictEqual(
        ["A", "B", "C"].map((letter) => text.includes(letter.repeat(4_000_000))),
        [false, true, true]
      )
      assert.include(text, "is left out")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
