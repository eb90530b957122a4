/** Agents of the recipe `http` beside their lines: usage, states, callbacks, secrets, and being reached. */
import { SecretBox, type StreamRequest } from "@agent-platform/kernel"
import { aStreamedResponse, MemoryEgress } from "@agent-platform/kernel/memory"
import { endpointSecretPlace, makeHttpRecipe, makeRedactor } from "@agent-platform/runs"
import { anAgent, aRun, aSession, NO_CHECKPOINT } from "@agent-platform/runs/testing"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Redacted, type Schema } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { execute, isFailure, lines, memory, refused, SECRET, spent, URL } from "./httpSupport.ts"

layer(memory)("an agent of the http recipe", (it) => {
  it.effect("counts the calls that the agent reports, in its log and under the caps", () =>
    Effect.gen(function* () {
      spent.calls.length = 0
      const usage = { type: "usage", provider: "openai", model: "gpt-5", input_tokens: 10, output_tokens: 5 }
      const { events, outcome, run } = yield* execute(aStreamedResponse(lines(usage, { type: "result", result: 1 })))
      assert.deepInclude(outcome, { _tag: "Succeeded" })
      assert.deepInclude(spent.calls[0]!, {
        provider: "openai",
        requestModel: "gpt-5",
        payer: { source: "byok", keyId: null }
      })
      assert.strictEqual(spent.calls[0]?.run.id, run.id)
      const [type, data] = events[0]!
      assert.strictEqual(type, "llm.request")
      assert.deepInclude(data as object, { input_tokens: 10, output_tokens: 5, cost_usd: "0.25", key_id: null })
    })
  )

  it.effect("counts a reported call that the caps refuse, too, and ends the run for it", () =>
    Effect.gen(function* () {
      spent.calls.length = spent.ends.length = 0
      spent.isCapped = true
      const usage = { type: "usage", provider: "openai", model: "gpt-5", input_tokens: 10, output_tokens: 5 }
      const { outcome } = yield* execute(aStreamedResponse(lines(usage, usage, { type: "result", result: 1 })))
      spent.isCapped = false
      assert.deepInclude(outcome, { _tag: "Failed", errorCode: "cap_reached" })
      assert.deepStrictEqual([spent.calls.map(({ reported }) => reported), spent.ends.length], [["whatever_caps"], 1])
    })
  )

  it.effect("keeps the state that the agent saves, and gives the latest that there is back with the request", () =>
    Effect.gen(function* () {
      const kept: Array<Schema.Json> = []
      const checkpoint = {
        ofQuestion: Effect.succeed("of the question"),
        ofSession: Effect.succeed("of the session"),
        keep: (state: Schema.Json) => Effect.sync(() => void kept.push(state))
      }
      const answer = aStreamedResponse(lines({ type: "checkpoint", state: { step: 2 } }, { type: "result" }))
      const { request } = yield* execute(answer, { checkpoint })
      assert.deepStrictEqual(kept, [{ step: 2 }])
      assert.strictEqual(JSON.parse(request.body ?? "").checkpoint, "of the question")
      const again = yield* execute(answer, { checkpoint: { ...checkpoint, load: Effect.succeed(["of before"]) } })
      assert.deepStrictEqual(JSON.parse(again.request.body ?? "").checkpoint, ["of before"])
    })
  )

  it.effect("names gateway and callback where it knows its address, under a token that is nowhere else", () =>
    Effect.gen(function* () {
      const options = { baseUrl: "https://agents.test" }
      const { request, run } = yield* execute(aStreamedResponse(lines({ type: "result" })), { options })
      const { callback, gateway } = JSON.parse(request.body ?? "")
      assert.deepStrictEqual(callback, { url: `https://agents.test/api/v1/runs/${run.id}/callback` })
      assert.strictEqual(gateway.base_url, "https://agents.test/api/v1/gateway")
      assert.match(gateway.token, /^agt_/)
      assert.notInclude(gateway.token, run.id)
    })
  )

  it.effect("leaves the run to an agent that answers 202, until its time is over", () =>
    Effect.gen(function* () {
      const accepted = aStreamedResponse([], { status: 202 })
      const { outcome } = yield* execute(accepted, { options: { baseUrl: "https://agents.test" } })
      assert.deepStrictEqual(outcome, { _tag: "AwaitsCallback", seconds: 60 })
      isFailure((yield* execute(accepted)).outcome, /no address for callbacks/)
    })
  )

  it.effect("signs with the secret before as well while its grace lasts", () =>
    Effect.gen(function* () {
      const box = yield* SecretBox
      const secret = "whsec_b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xk"
      const signed = Effect.fnUntraced(function* (seconds: number) {
        const egress = yield* MemoryEgress
        egress.streamWith(() => Effect.succeed(aStreamedResponse(lines({ type: "result" }))))
        const plain = anAgent()
        const place = endpointSecretPlace(plain)
        const endpoint = {
          url: URL,
          sealedSecret: yield* box.seal(place, Redacted.make(SECRET)),
          retiring: {
            sealed: yield* box.seal(place, Redacted.make(secret)),
            expiresAt: DateTime.makeUnsafe(seconds * 1000)
          }
        }
        const agent = { ...plain, endpoint }
        const http = yield* makeHttpRecipe()
        yield* http.execute({
          run: aRun(agent, aSession(agent)),
          agent,
          emit: () => Effect.void,
          checkpoint: NO_CHECKPOINT,
          redactor: makeRedactor()
        })
        const { body, headers } = egress.streams.at(-1) as StreamRequest
        for (const one of [SECRET, secret].slice(0, seconds > 0 ? 2 : 1)) {
          new Webhook(one).verify(body ?? "", headers)
        }
        return headers["x-service-signature"]?.split(",").length
      })
      yield* TestClock.setTime(Date.now())
      assert.strictEqual(yield* signed(Date.now() / 1000 + 60), 3)
      assert.strictEqual(yield* signed(0), 2)
    })
  )

  it.effect("calls an agent that cannot be reached again, under the same attempt, and gives up after two minutes", () =>
    Effect.gen(function* () {
      const busy = aStreamedResponse([], { status: 503, headers: { "retry-after": "3" } })
      const egress = yield* MemoryEgress
      const before = egress.streams.length
      const calling = yield* Effect.forkChild(
        execute([refused, busy, aStreamedResponse(lines({ type: "result", result: 1 }))])
      )
      yield* TestClock.adjust("4 seconds")
      const { events, outcome, run } = yield* Fiber.join(calling)
      assert.deepInclude(outcome, { _tag: "Succeeded", result: 1 })
      const sent = egress.streams.slice(before)
      assert.strictEqual(sent.length, 3)
      assert.strictEqual(new Set(sent.map(({ body }) => body)).size, 1)
      assert.strictEqual(JSON.parse(sent[2]?.body ?? "").attempt, run.attempt)
      assert.deepStrictEqual(
        events.map(([type]) => type),
        ["log"]
      )
      const vain = yield* Effect.forkChild(execute(refused, { run: { maxDurationSeconds: 600 } }))
      yield* TestClock.adjust("2 minutes")
      isFailure((yield* Fiber.join(vain)).outcome, /could not be reached: Nobody listens/)
    })
  )
})
