/** The recipe `http` over an egress in memory. */
import { RequestFailed, SecretBox, type StreamRequest } from "@agent-platform/kernel"
import { aStreamedResponse, layer as kernelMemory, MemoryEgress } from "@agent-platform/kernel/memory"
import {
  type AgentEndpoint,
  endpointSecretPlace,
  type HttpRecipeOptions,
  type ModelCall,
  type ModelCallEnd,
  makeHttpRecipe,
  makeRedactor,
  type Run,
  type RunEventType,
  SpendGuard,
  SpendRefused,
  type TurnCheckpoint
} from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { anAgent, aRun, aSession, NO_CHECKPOINT } from "@agent-platform/runs/testing"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Redacted, type Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"

const URL = "https://agents.example.com/run"
const SECRET = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"

const cut = new RequestFailed({
  reason: "connection_lost",
  detail: "The connection was lost",
  remoteAddress: null,
  durationMillis: 1
})

type Answer = ReturnType<typeof aStreamedResponse>

/** The turn that is executed, where it differs from any. */
interface Given {
  readonly endpoint?: Partial<AgentEndpoint> | null
  readonly run?: Partial<Run>
  readonly options?: HttpRecipeOptions
  readonly checkpoint?: Partial<TurnCheckpoint>
}

/** Executes a turn whose agent answers so, one call after the other, and answers its outcome. */
const execute = Effect.fnUntraced(function* (
  answers: Answer | RequestFailed | ReadonlyArray<Answer | RequestFailed>,
  given: Given = {}
) {
  const egress = yield* MemoryEgress
  const box = yield* SecretBox
  const all = Array.isArray(answers) ? [...answers] : [answers]
  egress.streamWith(() => {
    const answer = all.length > 1 ? all.shift() : all[0]
    return answer instanceof RequestFailed ? Effect.fail(answer) : Effect.succeed(answer)
  })
  const plain = anAgent(undefined, { instructions: "Be brief", tools: ["search"] })
  const sealedSecret = yield* box.seal(endpointSecretPlace(plain), Redacted.make(SECRET))
  const endpoint = { url: URL, sealedSecret, retiring: null, ...given.endpoint }
  const agent = { ...plain, endpoint: given.endpoint === null ? null : endpoint }
  const run = aRun(agent, aSession(agent), { attempt: 2, maxDurationSeconds: 60, ...given.run })
  const events: Array<readonly [RunEventType, unknown]> = []
  const http = yield* makeHttpRecipe(given.options)
  const outcome = yield* http.execute({
    run,
    agent,
    emit: (type, data) => Effect.sync(() => void events.push([type, data])),
    checkpoint: { ...NO_CHECKPOINT, ...given.checkpoint },
    redactor: makeRedactor()
  })
  return { outcome, events, run, request: egress.streams.at(-1) as StreamRequest }
})

const lines = (...values: ReadonlyArray<unknown>) => values.map((value) => `${JSON.stringify(value)}\n`)

const isFailure = (outcome: unknown, error: RegExp) => {
  assert.deepInclude(outcome as object, { _tag: "Failed", errorCode: "agent_error" })
  assert.match((outcome as { readonly error: string }).error, error)
}

/** A guard that keeps what it is asked, and refuses what is not reported while it says so. */
const calls: Array<ModelCall> = []
const ends: Array<ModelCallEnd> = []
let isCapped = false
const guard = Layer.succeed(SpendGuard, {
  reserve: (call) =>
    Effect.suspend(() => {
      if (isCapped && call.reported !== "whatever_caps") {
        return Effect.fail(new SpendRefused({ errorCode: "cap_reached", detail: "Spent" }))
      }
      calls.push(call)
      return Effect.succeed({ outputTokensMax: call.outputTokensMax })
    }),
  settle: (_, end) =>
    Effect.sync(() => {
      ends.push(end)
      return { costUsd: "0.25" }
    })
})

const memory = Layer.merge(Layer.provideMerge(stores, kernelMemory), guard)

const refused = new RequestFailed({
  reason: "connect_failed",
  detail: "Nobody listens",
  remoteAddress: null,
  durationMillis: 1
})

layer(memory)("the http recipe", (it) => {
  it.effect("sends the agent all about the turn, under one deadline and a bound of size", () =>
    Effect.gen(function* () {
      const { request, run } = yield* execute(aStreamedResponse(lines({ type: "result" })))
      assert.deepInclude(request, { method: "POST", url: URL, deadlineMillis: 65_000, bytesMax: 16 * 1024 * 1024 })
      assert.deepStrictEqual(JSON.parse(request.body ?? ""), {
        run_id: run.id,
        session_id: run.sessionId,
        agent_id: run.agentId,
        workspace_id: run.workspaceId,
        attempt: 2,
        message: "Hello",
        input: { steps: [{ say: "hi" }] },
        resumes_run_id: null,
        question: null,
        history: [],
        checkpoint: null,
        instructions: "Be brief",
        model: null,
        tools: ["search"],
        metadata: { order: "42" },
        tags: ["nightly"],
        deadline_at: "1970-01-01T00:01:00.000Z",
        gateway: null,
        callback: null
      })
      assert.strictEqual(request.headers["webhook-id"], run.id)
      assert.match(request.headers["x-service-signature"] ?? "", /^t=0,v1=[0-9a-f]{64}$/)
    })
  )

  it.effect("writes lines into the log and ends with the result, however the answer is cut into pieces", () =>
    Effect.gen(function* () {
      const text = lines(
        { type: "message.delta", text: "grüße " },
        { type: "message.completed", text: "grüße 💡" },
        { type: "tool.started", name: "find", order: { id: 7 } },
        { type: "tool.completed", name: "find" },
        { type: "log", message: "m", level: "warn" },
        { type: "result", result: { a: [1, null] } }
      ).join("")
      const bytes = new TextEncoder().encode(text)
      for (const size of [1, 7, bytes.length]) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size)
        )
        const { events, outcome } = yield* execute(aStreamedResponse([], { body: Stream.fromIterable(pieces) }))
        assert.deepStrictEqual(outcome, { _tag: "Succeeded", result: { a: [1, null] }, message: "grüße 💡" })
        assert.deepStrictEqual(events, [
          ["message.delta", { text: "grüße " }],
          ["message.completed", { text: "grüße 💡" }],
          ["tool.started", { name: "find", order: { id: 7 } }],
          ["tool.completed", { name: "find" }],
          ["log", { message: "m", level: "warn" }]
        ])
      }
    })
  )

  it.effect("skips empty lines and takes a last line that nothing ends", () =>
    Effect.gen(function* () {
      const { outcome } = yield* execute(aStreamedResponse(["\n \r\n", '{"type": "result", "message": "done"}']))
      assert.deepStrictEqual(outcome, { _tag: "Succeeded", result: "done", message: "done" })
    })
  )

  it.effect("pauses with a question and its payload", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* execute(
        aStreamedResponse(lines({ type: "pause", message: "Shall I?", interrupt: { amount: "3.00" } }))
      )
      assert.deepStrictEqual(outcome, { _tag: "Paused", message: "Shall I?", interrupt: { amount: "3.00" } })
      assert.deepStrictEqual(events, [["interrupt.requested", { message: "Shall I?" }]])
    })
  )

  it.effect("fails as the agent says", () =>
    Effect.gen(function* () {
      const own = yield* execute(aStreamedResponse(lines({ type: "fail", error: "no luck" })))
      assert.deepStrictEqual(own.outcome, { _tag: "Failed", errorCode: "agent_error", error: "no luck" })
      const input = yield* execute(
        aStreamedResponse(lines({ type: "fail", error: "no order", error_code: "invalid_input" }))
      )
      assert.deepStrictEqual(input.outcome, { _tag: "Failed", errorCode: "invalid_input", error: "no order" })
    })
  )

  it.effect("reads nothing after the line that ends the turn", () =>
    Effect.gen(function* () {
      const begun = lines({ type: "result", result: 1 }, { type: "fail", error: "late" })
      const body = Stream.concat(aStreamedResponse(begun).body, Stream.fail(cut))
      const { outcome } = yield* execute(aStreamedResponse([], { body }))
      assert.deepInclude(outcome, { _tag: "Succeeded", result: 1 })
    })
  )

  it.effect("takes an answer that ends or breaks off before that for a failure, never for a success", () =>
    Effect.gen(function* () {
      const delta = lines({ type: "message.delta", text: "Working" })
      isFailure((yield* execute(aStreamedResponse(delta))).outcome, /ended without/)
      isFailure((yield* execute(aStreamedResponse([]))).outcome, /ended without/)
      // The last line is whole but for its end: whether it is, cannot be known.
      const almost = [...delta, '{"type": "result", "result": 1}']
      const body = Stream.concat(aStreamedResponse(almost).body, Stream.fail(cut))
      const { events, outcome } = yield* execute(aStreamedResponse([], { body }))
      isFailure(outcome, /answer broke off: The connection was lost/)
      assert.strictEqual(events.length, 1)
    })
  )

  it.effect("fails when the agent cannot be reached, refuses, or is nowhere", () =>
    Effect.gen(function* () {
      isFailure((yield* execute(cut)).outcome, /The connection was lost/)
      for (const status of [204, 302, 404, 500]) {
        const { outcome } = yield* execute(aStreamedResponse(lines({ type: "result" }), { status }))
        isFailure(outcome, new RegExp(`answered ${status}`))
      }
      isFailure((yield* execute(aStreamedResponse([]), { endpoint: null })).outcome, /no endpoint/)
    })
  )

  it.effect("fails for a line that is nested too deep, whatever it is", () =>
    Effect.gen(function* () {
      const deep = "[".repeat(6_000) + "]".repeat(6_000)
      for (const line of [
        `{"type": "result", "result": ${deep}}`,
        `{"type": "pause", "message": "?", "interrupt": ${deep}}`,
        `{"type": "log", "message": "m", "more": ${deep}}`,
        `{"type": "tool.completed", "name": "find", "more": ${"[".repeat(100)}${"]".repeat(100)}}`,
        `{"type": "result", "more": ${"[".repeat(200_000)}`
      ]) {
        const { events, outcome } = yield* execute(aStreamedResponse([`${line}\n`, ...lines({ type: "result" })]))
        isFailure(outcome, /^Line 1 of the agent's answer is nested deeper than 100 levels$/)
        assert.isEmpty(events)
      }
      const { outcome } = yield* execute(
        aStreamedResponse([`{"type": "result", "result": ${"[".repeat(99)}${"]".repeat(99)}}`])
      )
      assert.deepInclude(outcome, { _tag: "Succeeded" })
    })
  )

  it.effect("passes over lines of types that it does not know, and says so once", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* execute(
        aStreamedResponse(
          lines({ type: "message.detla", text: "x" }, { type: "later", a: 1 }, { type: "result", result: 1 })
        )
      )
      assert.deepInclude(outcome, { _tag: "Succeeded", result: 1 })
      assert.deepStrictEqual(events, [
        ["log", { message: "Lines of the agent's answer are ignored, such as those of type 'message.detla'" }]
      ])
    })
  )

  it.effect("counts the calls that the agent reports, in its log and under the caps", () =>
    Effect.gen(function* () {
      calls.length = 0
      const usage = { type: "usage", provider: "openai", model: "gpt-5", input_tokens: 10, output_tokens: 5 }
      const { events, outcome, run } = yield* execute(aStreamedResponse(lines(usage, { type: "result", result: 1 })))
      assert.deepInclude(outcome, { _tag: "Succeeded" })
      assert.deepInclude(calls[0]!, {
        provider: "openai",
        requestModel: "gpt-5",
        payer: { source: "byok", keyId: null }
      })
      assert.strictEqual(calls[0]?.run.id, run.id)
      const [type, data] = events[0]!
      assert.strictEqual(type, "llm.request")
      assert.deepInclude(data as object, { input_tokens: 10, output_tokens: 5, cost_usd: "0.25", key_id: null })
    })
  )

  it.effect("counts a reported call that the caps refuse, too, and ends the run for it", () =>
    Effect.gen(function* () {
      calls.length = ends.length = 0
      isCapped = true
      const usage = { type: "usage", provider: "openai", model: "gpt-5", input_tokens: 10, output_tokens: 5 }
      const { outcome } = yield* execute(aStreamedResponse(lines(usage, usage, { type: "result", result: 1 })))
      isCapped = false
      assert.deepInclude(outcome, { _tag: "Failed", errorCode: "cap_reached" })
      assert.deepStrictEqual([calls.map(({ reported }) => reported), ends.length], [["whatever_caps"], 1])
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

  describe("fails for a line that", () => {
    const bad: Readonly<Record<string, string | Uint8Array>> = {
      "is not JSON": "<html>\n",
      "is no object": "[]\n",
      "has no type": '{"text": "x"}\n',
      "reports more tokens from the cache than it took in":
        '{"type": "usage", "provider": "openai", "model": "gpt-5", "input_tokens": 1, "cache_read_tokens": 2, "output_tokens": 0}\n',
      "reports less than nothing":
        '{"type": "usage", "provider": "openai", "model": "gpt-5", "input_tokens": -1, "output_tokens": 0}\n',
      "lacks a member": '{"type": "message.delta"}\n',
      "has a member too many": '{"type": "result", "reslut": 1}\n',
      "has an error code that is not the agent's to give":
        '{"type": "fail", "error": "x", "error_code": "cap_reached"}\n',
      "is too long": `{"type": "message.delta", "text": "${"x".repeat(600_000)}`,
      "is not UTF-8": new Uint8Array([0x22, 0xff, 0x22, 0x0a])
    }
    for (const [what, piece] of Object.entries(bad)) {
      it.effect(what, () =>
        Effect.gen(function* () {
          const bytes = typeof piece === "string" ? new TextEncoder().encode(piece) : piece
          const rest = aStreamedResponse(lines({ type: "result" }))
          const body = Stream.concat(Stream.succeed(bytes), rest.body)
          const { outcome } = yield* execute(aStreamedResponse([], { body }))
          isFailure(outcome, /^(Line 1 of the|The) agent's answer /)
        })
      )
    }
  })
})
