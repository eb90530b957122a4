/** The gateway, called by OpenAI's own library. */
import { atomic, SecretBox } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import type { Run } from "@agent-platform/runs"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import OpenAI from "openai"
import { json as respondsJson, ScriptedServer } from "../../../packages/models/test/chat/ScriptedServer.ts"
import { calls, endsWith, says, saysAndBreaks, saysAndHangs, thinks } from "../../../packages/models/test/chat/wire.ts"
import { anAttempt, layerWithGateway, rejected } from "./gatewaySupport.ts"

const MODEL = "openai_compatible/small"
const HELLO = [{ role: "user" as const, content: "Hello" }]

/** Waits until this is the case. */
const until = <A, E, R>(effect: Effect.Effect<A, E, R>, isSo: (value: A) => boolean) =>
  effect.pipe(Effect.filterOrFail(isSo), Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 300 }))

layer(layerWithGateway, { excludeTestServices: true })("the gateway by chat completions", (it) => {
  it.effect("answers as OpenAI does, on the run's bill and in its log", () =>
    Effect.gen(function* () {
      const { log, openai, read, requests, runId } = yield* anAttempt()
      const server = yield* ScriptedServer
      server.script(says("Good ", "day"))
      const answer = yield* Effect.promise(() =>
        openai.chat.completions.create({ model: MODEL, messages: HELLO, temperature: 0.5, max_tokens: 99, user: "me" })
      )
      assert.deepInclude(answer.choices[0]!, { index: 0, finish_reason: "stop" })
      assert.strictEqual(answer.choices[0]!.message.content, "Good day")
      assert.strictEqual(answer.model, MODEL)
      assert.deepInclude(answer.usage!, { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 })
      const sent = server.asked.at(-1)!.body
      assert.deepInclude(sent as object, { model: "small", temperature: 0.5, max_tokens: 99, messages: HELLO })
      const [request, ...others] = yield* requests
      assert.isEmpty(others)
      assert.deepInclude(request!, {
        request_id: answer.id.replace("chatcmpl-", ""),
        attempt: 1,
        provider: "openai_compatible",
        request_model: "small",
        status: "ok",
        input_tokens: 120,
        cache_read_tokens: 100,
        output_tokens: 30,
        key_source: "byok",
        usage_source: "provider"
      })
      assert.deepInclude((yield* read(runId))["usage"] as object, { requests: 1, input_tokens: 120, output_tokens: 30 })
      const logged = (yield* log(runId)).filter(({ type }) => type === "llm.request")
      assert.deepStrictEqual([logged.length, logged[0]!.attempt, String(logged[0]!.data["status"])], [1, 1, "ok"])
    }).pipe(Effect.scoped)
  )

  it.effect("streams what the model says, and its usage where that is asked for", () =>
    Effect.gen(function* () {
      const { openai } = yield* anAttempt()
      const server = yield* ScriptedServer
      server.script(says("Good ", "day"))
      const streamed = yield* Effect.promise(async () => {
        const stream = await openai.chat.completions.create({
          model: MODEL,
          messages: HELLO,
          stream: true,
          stream_options: { include_usage: true }
        })
        const chunks = []
        for await (const chunk of stream) chunks.push(chunk)
        return chunks
      })
      assert.strictEqual(streamed.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), "Good day")
      assert.strictEqual(new Set(streamed.map(({ id }) => id)).size, 1)
      assert.deepInclude(streamed.at(-1)!.usage!, { prompt_tokens: 120, completion_tokens: 30 })
      assert.strictEqual(streamed.at(-2)!.choices[0]!.finish_reason, "stop")
      server.script(thinks("Hm.", "Yes"))
      const whole = yield* Effect.promise(() =>
        openai.chat.completions.stream({ model: MODEL, messages: HELLO }).finalChatCompletion()
      )
      assert.strictEqual(whole.choices[0]!.message.content, "Yes")
    }).pipe(Effect.scoped)
  )

  it.effect("passes tools, their calls and their results on, streamed or not", () =>
    Effect.gen(function* () {
      const { openai } = yield* anAttempt()
      const server = yield* ScriptedServer
      const tools = [
        {
          type: "function" as const,
          function: {
            name: "find",
            description: "Finds",
            parameters: { type: "object", properties: { id: { type: "number" } } }
          }
        }
      ]
      const call = calls({ id: "call_1", name: "find", input: { id: 7 } })
      server.script(call)
      const first = yield* Effect.promise(() =>
        openai.chat.completions.create({ model: MODEL, messages: HELLO, tools, tool_choice: "required" })
      )
      const { message } = first.choices[0]!
      assert.strictEqual(first.choices[0]!.finish_reason, "tool_calls")
      assert.deepStrictEqual(message.tool_calls, [
        { id: "call_1", type: "function", function: { name: "find", arguments: '{"id":7}' } }
      ])
      assert.deepInclude(server.asked.at(-1)!.body as object, { tool_choice: "required" })
      server.script(says("Found"))
      const second = yield* Effect.promise(() =>
        openai.chat.completions.create({
          model: MODEL,
          tools,
          messages: [...HELLO, message, { role: "tool", tool_call_id: "call_1", content: "the order" }]
        })
      )
      assert.strictEqual(second.choices[0]!.message.content, "Found")
      const sent = server.asked.at(-1)!.body["messages"] as unknown as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        sent.map(({ role }) => role),
        ["user", "assistant", "tool"]
      )
      assert.deepInclude(sent[2]!, { tool_call_id: "call_1", content: "the order" })
      // Arguments that reading would change, and those that are no JSON, are the model's own text.
      for (const input of ['{"id": 9007199254740993}', '{"id": ']) {
        server.script(calls({ id: "call_2", name: "find", input }))
        const exact = yield* Effect.promise(() =>
          openai.chat.completions.create({ model: MODEL, messages: HELLO, tools })
        )
        const [exactCall] = exact.choices[0]!.message.tool_calls ?? []
        assert.strictEqual(exactCall?.type === "function" ? exactCall.function.arguments : undefined, input)
      }
      server.script(call)
      const streamed = yield* Effect.promise(() =>
        openai.chat.completions.stream({ model: MODEL, messages: HELLO, tools }).finalChatCompletion()
      )
      assert.strictEqual(streamed.choices[0]!.message.tool_calls![0]!.id, "call_1")
    }).pipe(Effect.scoped)
  )

  it.effect("takes images, and results of a schema", () =>
    Effect.gen(function* () {
      const { openai } = yield* anAttempt()
      const server = yield* ScriptedServer
      server.script(endsWith("length", '{"a":'))
      const schema = {
        type: "object",
        properties: { a: { type: "number" } },
        required: ["a"],
        additionalProperties: false
      }
      const answer = yield* Effect.promise(() =>
        openai.chat.completions.create({
          model: MODEL,
          messages: [
            { role: "developer", content: "Be brief." },
            {
              role: "user",
              content: [
                { type: "text", text: "What is it?" },
                { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }
              ]
            }
          ],
          response_format: { type: "json_schema", json_schema: { name: "it", schema, strict: true } }
        })
      )
      assert.strictEqual(answer.choices[0]!.finish_reason, "length")
      const sent = server.asked.at(-1)!.body
      assert.deepStrictEqual(sent["response_format"]!["json_schema"]!["schema"] as unknown, schema)
      assert.include(JSON.stringify(sent["messages"]), "data:image/png;base64,iVBORw0KGgo=")
      assert.deepInclude(sent["messages"]![0] as object, { content: "Be brief." })
    }).pipe(Effect.scoped)
  )

  it.effect("refuses what cannot be kept, with the place, in the words of both", () =>
    Effect.gen(function* () {
      const { openai, requests } = yield* anAttempt()
      const server = yield* ScriptedServer
      const before = server.asked.length
      const many = Array.from({ length: 101 }, () => ({ type: "text", text: "x" }))
      const bodies: ReadonlyArray<readonly [string | null, object]> = [
        ["/model", { model: "gpt-5" }],
        ["/n", { n: 2 }],
        ["/logit_bias", { logit_bias: { "1": 1 } }],
        ["/messages", { messages: [] }],
        ["/messages/0/role", { messages: [{ role: "robot", content: "x" }] }],
        ["/messages/0/content/0/type", { messages: [{ role: "user", content: [{ type: "input_audio" }] }] }],
        ["/messages/0/tool_call_id", { messages: [{ role: "tool", tool_call_id: "no", content: "x" }] }],
        ["/tools/0/function/name", { tools: [{ type: "function", function: { name: "no spaces" } }] }],
        ["/response_format/type", { response_format: { type: "json_object" } }],
        ["/stop", { model: "openai/gpt-5", stop: ["x"] }],
        ["/temperature", { temperature: 3 }],
        ["/messages", { messages: Array.from({ length: 2_001 }, () => HELLO[0]) }],
        ["/messages", { messages: Array.from({ length: 50 }, () => ({ role: "user", content: many })) }],
        ["/tools", { tools: [{ type: "function", function: { name: "a", description: "x".repeat(600_000) } }] }],
        ["/provider_options", { provider_options: { openai: { verbosity: "x".repeat(20_000) } } }]
      ]
      for (const [param, body] of bodies) {
        const error = yield* rejected(
          openai.chat.completions.create({ model: MODEL, messages: HELLO, ...body } as never)
        )
        assert.strictEqual(error.status, 422, `${JSON.stringify(body)}: ${error.message}`)
        assert.strictEqual(error.param, param, JSON.stringify(body))
        assert.deepInclude(error.error, { type: "invalid_request_error", param })
      }
      assert.strictEqual(server.asked.length, before)
      assert.isEmpty(yield* requests)
    }).pipe(Effect.scoped)
  )

  it.effect("takes no token but that of an attempt that lasts", () =>
    Effect.gen(function* () {
      const one = yield* anAttempt()
      const server = yield* ScriptedServer
      server.script(says("Good day"))
      const ask = (apiKey: string) =>
        new OpenAI({ apiKey, baseURL: one.baseURL, maxRetries: 0 }).chat.completions.create({
          model: MODEL,
          messages: HELLO
        })
      const tampered = `${one.token.slice(0, -2)}${one.token.endsWith("AA") ? "BB" : "AA"}`
      for (const token of [one.key, one.tenant.orgKey, "agt_", "agt_v1.x.y.z", tampered, `${one.token}x`]) {
        assert.deepInclude(yield* rejected(ask(token)), { status: 401, code: "attempt_over" })
      }
      // Tokens of ours, for other attempts of the run that lasts.
      const box = yield* SecretBox
      const before = server.asked.length
      for (const attempt of [0, 2]) {
        const sealed = yield* box.seal("attempt_token", Redacted.make(`${one.runId}/${attempt}`))
        assert.deepInclude(yield* rejected(ask(`agt_${sealed}`)), { status: 401, code: "attempt_over" })
      }
      assert.strictEqual(server.asked.length, before)
      assert.isEmpty(yield* one.requests)
      const none = yield* one.api.call("POST", "/api/v1/gateway/chat/completions", {
        body: { model: MODEL, messages: HELLO }
      })
      assert.deepStrictEqual([none.status, String(none.json["code"])], [401, "missing_credential"])
      yield* Effect.promise(() => ask(one.token))
      const asked = server.asked.length
      yield* one.finish
      const late = yield* rejected(ask(one.token))
      assert.deepInclude(late, { status: 401, code: "attempt_over" })
      assert.strictEqual(server.asked.length, asked)
      assert.strictEqual((yield* one.requests).length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("closes the model's request when the run is cancelled, and bills what came of it", () =>
    Effect.gen(function* () {
      const { api, key, openai, requests, runId } = yield* anAttempt({}, {})
      const server = yield* ScriptedServer
      server.script(saysAndHangs("Good "))
      const session = yield* Effect.map(
        api.call("GET", `/api/v1/runs/${runId}`, { key }),
        ({ json }) => json["session_id"]
      )
      const stream = yield* Effect.promise(() =>
        openai.chat.completions.create({ model: MODEL, messages: HELLO, stream: true })
      )
      const failing = rejected(
        (async () => {
          for await (const _ of stream) {
            // Read to its end.
          }
        })()
      )
      yield* api.call("POST", `/api/v1/sessions/${session}/cancel`, { key, body: {} })
      const error = yield* failing
      assert.include(error.message, "attempt")
      yield* server.until((asked) => asked.at(-1)?.gaveUp === true)
      const [request] = yield* until(requests, (items) => items.length === 1)
      assert.deepInclude(request!, { status: "aborted", usage_source: "estimated" })
    }).pipe(Effect.scoped)
  )

  it.effect("closes the model's request when its caller goes away", () =>
    Effect.gen(function* () {
      const { openai, requests } = yield* anAttempt()
      const server = yield* ScriptedServer
      server.script(saysAndHangs("Good "))
      for (const stream of [true, false]) {
        const abort = new AbortController()
        const asked = server.asked.length
        const calling = openai.chat.completions
          .create({ model: MODEL, messages: HELLO, stream }, { signal: abort.signal })
          .then(async (answer) => {
            if (stream) for await (const _ of answer as AsyncIterable<unknown>) abort.abort()
          })
          .catch(() => undefined)
        yield* server.until((all) => all.length > asked)
        if (!stream) abort.abort()
        yield* Effect.promise(() => calling)
        yield* server.until((all) => all.at(-1)?.gaveUp === true)
      }
      const items = yield* until(requests, (all) => all.length === 2)
      assert.deepStrictEqual(
        items.map(({ status }) => status),
        ["aborted", "aborted"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("asks a model again that breaks off, and bills each try, but not once its caller has words", () =>
    Effect.gen(function* () {
      const { openai, requests } = yield* anAttempt()
      const server = yield* ScriptedServer
      server.script(saysAndBreaks("Half"), says("Whole"))
      const answer = yield* Effect.promise(() => openai.chat.completions.create({ model: MODEL, messages: HELLO }))
      assert.strictEqual(answer.choices[0]!.message.content, "Whole")
      assert.deepStrictEqual(
        (yield* requests).map(({ status }) => status),
        ["ok", "error"]
      )
      server.script(saysAndBreaks("Half"), says("Whole"))
      const error = yield* rejected(
        (async () => {
          const stream = await openai.chat.completions.create({ model: MODEL, messages: HELLO, stream: true })
          for await (const _ of stream) {
            // Read to its end.
          }
        })()
      )
      assert.strictEqual(error.code, "provider_error")
      assert.strictEqual((yield* requests).length, 3)
    }).pipe(Effect.scoped)
  )

  it.effect("answers what providers refuse, and what there is no key for, so that libraries do not insist", () =>
    Effect.gen(function* () {
      const { openai } = yield* anAttempt()
      const server = yield* ScriptedServer
      server.script(respondsJson(400, { error: { message: "Too long", code: "context_length_exceeded" } }))
      const refused = yield* rejected(openai.chat.completions.create({ model: MODEL, messages: HELLO }))
      assert.deepInclude(refused, { status: 422, code: "provider_refused" })
      assert.include(refused.message, "Too long")
      const missing = yield* rejected(openai.chat.completions.create({ model: "google/gemini-3-pro", messages: HELLO }))
      assert.deepInclude(missing, { status: 422, code: "provider_key_missing" })
    }).pipe(Effect.scoped)
  )

  it.effect("answers 409 once the run has made as many calls as a run makes", () =>
    Effect.gen(function* () {
      const { openai, requests, runId } = yield* anAttempt()
      const server = yield* ScriptedServer
      const asked = server.asked.length
      const rows = (yield* MemoryDatabase).table<{ readonly run: Run }>("run")
      const row = yield* rows.get(runId)
      assert.isDefined(row)
      if (row === undefined) return
      const often = { ...row.run.usage, requests: 10_000 }
      yield* atomic(rows.put(runId, { ...row, run: { ...row.run, usage: often } }))
      const over = yield* rejected(openai.chat.completions.create({ model: "openai/gpt-4o-mini", messages: HELLO }))
      assert.deepInclude(over, { status: 409, code: "quota_exceeded" })
      assert.strictEqual(server.asked.length, asked)
      assert.isEmpty(yield* requests)
    }).pipe(Effect.scoped)
  )

  it.effect("is capped by the run like every call", () =>
    Effect.gen(function* () {
      const { openai, read, requests, runId } = yield* anAttempt({ max_cost_usd: "0.000001" })
      const server = yield* ScriptedServer
      const asked = server.asked.length
      const over = yield* rejected(openai.chat.completions.create({ model: "openai/gpt-4o-mini", messages: HELLO }))
      assert.deepInclude(over, { status: 402, code: "call_exceeds_cap" })
      const unpriced = yield* rejected(openai.chat.completions.create({ model: MODEL, messages: HELLO, stream: true }))
      assert.deepInclude(unpriced, { status: 422, code: "model_unpriced" })
      assert.strictEqual(server.asked.length, asked)
      assert.isEmpty(yield* requests)
      assert.strictEqual(String((yield* read(runId))["status"]), "running")
    }).pipe(Effect.scoped)
  )
})
