/** Content at addresses that is read for the model: how much of it, from where, and when it is gone. */
import { type ContentPart, Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerAdmitting } from "../layerAdmitting.ts"
import { type Answer, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, layerWith, trigger } from "./support.ts"
import { answerOf, MODEL_OF } from "./wires.ts"

const MIB = 1024 * 1024
const GOOGLE = answerOf.google({ text: "Seen" })

const image = (url: string): ContentPart => ({ type: "image", mediaType: null, source: { type: "url", url } })
const text = (url: string): ContentPart => ({
  type: "file",
  mediaType: "text/csv",
  filename: null,
  source: { type: "url", url }
})

const file =
  (type: string, body: Uint8Array | string, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { "content-type": type }).end(body)

/** A session of a model that reads no addresses; each turn is sent this content, and has what was asked for it. */
const aSession = Effect.gen(function* () {
  const caller = yield* founded()
  yield* aKey(caller, { provider: "google" })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  const agent = yield* aChatAgent(caller, { model: MODEL_OF.google })
  let sessionId: Effect.Success<ReturnType<typeof trigger>>["sessionId"] | undefined
  const turn = Effect.fnUntraced(function* (content: ReadonlyArray<ContentPart>, ...answers: ReadonlyArray<Answer>) {
    const from = server.asked.length
    server.script(...answers, GOOGLE)
    const begun =
      sessionId === undefined
        ? yield* trigger(caller, agent, { content })
        : (yield* Runs.use((runs) =>
            runs.replyToSession({ caller, sessionId: sessionId as never, message: "More", content })
          )).value
    sessionId = begun.sessionId
    const run = yield* ended(caller, begun.id)
    return { run, asked: server.asked.slice(from), shown: server.asked.at(-1)?.text ?? "" }
  })
  return { server, turn }
})

describe("content that is read for a model", () => {
  it.live("has one budget for a turn, the latest first, and nothing is read beyond it", () =>
    Effect.gen(function* () {
      const { server, turn } = yield* aSession
      const twenty = Array.from({ length: 20 }, (_, n) => image(`${server.url}/${n}`))
      const large = file("image/png", new Uint8Array(3 * MIB))
      // Two of 4 MiB in base64 fit as a whole, and the third is found to be too large.
      const reads = [large, large, large]
      for (const _ of [1, 2]) {
        const { asked, run, shown } = yield* turn(twenty, ...reads)
        assert.deepInclude(run, { status: "succeeded", error: null })
        assert.deepStrictEqual(
          asked.slice(0, -1).map(({ url }) => url),
          ["/0", "/1", "/2"]
        )
        assert.isBelow(shown.length, 10 * MIB + 64 * 1024)
        assert.include(shown, "is left out")
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is read at forty addresses in a turn at most, however small it is", () =>
    Effect.gen(function* () {
      const { server, turn } = yield* aSession
      const twenty = Array.from({ length: 20 }, (_, n) => image(`${server.url}/${n}`))
      const small = Array.from({ length: 40 }, () => file("image/png", "x"))
      const read: Array<number> = []
      for (const _ of [1, 2, 3]) {
        const { asked, run, shown } = yield* turn(twenty, ...small.slice(0, 20 * Math.min(read.length + 1, 2)))
        assert.deepInclude(run, { status: "succeeded", error: null })
        read.push(asked.length - 1)
        assert.strictEqual(shown.includes("is left out"), read.length === 3)
      }
      assert.deepStrictEqual(read, [20, 40, 40])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("counts a text by what it is as JSON", () =>
    Effect.gen(function* () {
      const { server, turn } = yield* aSession
      const { run, shown } = yield* turn([text(`${server.url}/0`)], file("text/csv", "\u0000".repeat(2 * MIB)))
      assert.deepInclude(run, { status: "succeeded", error: null })
      assert.isBelow(shown.length, MIB)
      assert.include(shown, "is left out")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is a note where an earlier run's address has died, and fails the run that sends a dead one", () =>
    Effect.gen(function* () {
      const { server, turn } = yield* aSession
      const gone = file("text/plain", "", 403)
      const first = yield* turn([text(`${server.url}/0`)], file("text/plain; charset=utf-8", "id,sum"))
      assert.include(first.shown, "id,sum")
      const second = yield* turn([], gone)
      assert.deepInclude(second.run, { status: "succeeded", error: null })
      assert.include(second.shown, "could not be read any more")
      const third = yield* turn([text(`${server.url}/1`)], gone)
      assert.deepInclude(third.run, { status: "failed", errorCode: "invalid_input" })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("has the type that was declared", () =>
    Effect.gen(function* () {
      const { server, turn } = yield* aSession
      const { asked, run } = yield* turn([text(`${server.url}/0`)], file("text/html", "<p>inside</p>"))
      assert.deepInclude(run, { status: "failed", errorCode: "invalid_input" })
      assert.include(run.error, "text/csv")
      assert.strictEqual(asked.length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("comes from nowhere that was admitted for tools alone", () =>
    Effect.gen(function* () {
      const { server, turn } = yield* aSession
      const { asked, run } = yield* turn([image(`${server.url}/0`)], file("image/png", "dot"))
      assert.deepInclude(run, { status: "failed", errorCode: "invalid_input" })
      assert.strictEqual(asked.length, 0)
    }).pipe(Effect.scoped, Effect.provide(layerWith(undefined, layerAdmitting("providers", "tools"))))
  )
})
