/** JSON of models and their providers that is nested too deep, and keys that they repeat. */
import type { Provider } from "@agent-platform/keys"
import { startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, events, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, logOf, trigger } from "./support.ts"
import { calls, says } from "./wire.ts"

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)

const given = Effect.fnUntraced(function* (
  answers: ReadonlyArray<Answer>,
  { key, provider = "openai_compatible" }: { readonly provider?: Provider; readonly key?: string } = {}
) {
  const caller = yield* founded()
  yield* aKey(caller, { provider }, key)
  const agent = yield* aChatAgent(caller, { model: `${provider}/small`, tools: ["ask_user"] })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  server.script(...answers)
  const run = yield* ended(caller, (yield* trigger(caller, agent)).id)
  return { run, asked: server.asked, log: yield* logOf(caller, run.id) }
})

/** A piece of an answer in the form of each provider, with something nested in it. */
const openai = (nested: string) =>
  `{"type": "response.created", "response": {"id": "1", "created_at": 1, "model": "m", "more": ${nested}}}`

const PIECES: Readonly<Record<Exclude<Provider, "bedrock" | "vertex">, (nested: string) => string>> = {
  openai,
  azure: openai,
  anthropic: (nested) =>
    `{"type": "message_start", "message": {"id": "1", "model": "m", "usage": {}, "more": ${nested}}}`,
  google: (nested) =>
    `{"candidates": [{"content": {"parts": [{"functionCall": {"name": "ask_user", "args": {"question": ${nested}}}}]}}]}`,
  openai_compatible: (nested) => `{"id": "1", "choices": [{"delta": {"content": "Hi", "more": ${nested}}}]}`
}

describe("an agent that chats", () => {
  it.live(
    "gets the same result for arguments that are nested too deep as for those that are no JSON, and goes on",
    () =>
      Effect.gen(function* () {
        for (const levels of [100, 6_000]) {
          const input = `{"question": ${deep(levels)}}`
          const { asked, run } = yield* given([calls({ id: "call_1", name: "ask_user", input }), says("I see.")])
          assert.deepInclude(run, { status: "succeeded", message: "I see." })
          assert.include(asked.at(-1)?.text, "The arguments must be a JSON object of at most 100 levels")
        }
      }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("gets arguments back with an integer that would be changed, and goes on", () =>
    Effect.gen(function* () {
      const input = '{"question": "Which?", "id": 9007199254740993}'
      const { asked, run } = yield* given([calls({ id: "call_1", name: "ask_user", input }), says("I see.")])
      assert.deepInclude(run, { status: "succeeded", message: "I see." })
      assert.include(asked.at(-1)?.text, "with integers beyond 9007199254740991 as text")
      assert.include(asked.at(-1)?.text, "9007199254740993")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  for (const [provider, pieceOf] of Object.entries(PIECES) as ReadonlyArray<[Provider, (nested: string) => string]>) {
    it.live(`fails at once, and asks once, when ${provider} sends JSON that is nested too deep`, () =>
      Effect.gen(function* () {
        for (const levels of [101, 9_000]) {
          const { asked, run } = yield* given([events(pieceOf(deep(levels))), says("Late.")], { provider })
          assert.deepInclude(run, { status: "failed", errorCode: "provider_error" })
          assert.strictEqual(run.error, `${provider} answered with JSON that is nested deeper than 100 levels`)
          assert.strictEqual(asked.length, levels === 101 ? 1 : 2)
        }
      }).pipe(Effect.scoped, Effect.provide(layer))
    )
  }

  it.live(
    "fails at once, and asks once, when a compatible server sends an event that is too large, by whatever lines",
    () =>
      Effect.gen(function* () {
        const chunk = (rest = "") =>
          `data: {"id": "1", "more": "${"a".repeat(100_000)}", "choices": [{"delta": {"content": "Hi"}${rest}}]}`
        for (const newline of ["\n", "\r\n", "\r"]) {
          const lines = `data:${" ".repeat(100_000)}${newline}`.repeat(3)
          const spread: Answer = (response) =>
            void response
              .writeHead(200, { "content-type": "text/event-stream" })
              .end(`${lines}data: {}${newline}${newline}`)
          const { asked, log, run } = yield* given([spread, says("Late.")])
          assert.deepInclude(run, { status: "failed", errorCode: "provider_error" })
          assert.strictEqual(run.error, "openai_compatible sent an event of more than 262144 bytes")
          assert.deepInclude(log.find(({ type }) => type === "llm.request")?.data, { error_code: "event_too_large" })
          assert.strictEqual(asked.at(-1)?.text.includes("Late."), false)
        }
        const several: Answer = (response) =>
          void response
            .writeHead(200, { "content-type": "text/event-stream" })
            .end(`${`${chunk()}\r\n\r\n`.repeat(5)}${chunk(', "finish_reason": "stop"')}\n\n`)
        const { run } = yield* given([several])
        assert.deepInclude(run, { status: "succeeded" })
      }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("fails with the status of a refusal that is nested too deep", () =>
    Effect.gen(function* () {
      const refusal: Answer = (response) =>
        void response.writeHead(400, { "content-type": "application/json" }).end(`{"error": {"code": ${deep(9_000)}}}`)
      const { run } = yield* given([refusal])
      assert.deepInclude(run, {
        status: "failed",
        errorCode: "provider_error",
        error: "openai_compatible answered 400"
      })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("leaves no key behind that its model repeats, be it known by its value alone", () =>
    Effect.gen(function* () {
      const key = "a-key-without-a-form-of-its-own"
      const { log, run } = yield* given([says("My key is ", key, " or so.")], { key })
      assert.deepInclude(run, {
        message: "My key is [redacted: secret] or so.",
        result: "My key is [redacted: secret] or so."
      })
      assert.notInclude(JSON.stringify([run, log]), key)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
