/** The gateway by responses, called by OpenAI's own library. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ScriptedServer } from "../../../packages/models/test/chat/ScriptedServer.ts"
import { calls, endsWith, says, saysAndBreaks, thinks } from "../../../packages/models/test/chat/wire.ts"
import { anAttempt, layerWithGateway, rejected } from "./gatewaySupport.ts"

const model = "openai_compatible/small"

layer(layerWithGateway, { excludeTestServices: true })("the gateway by responses", (it) => {
  it.effect("answers as OpenAI does, on the run's bill", () =>
    Effect.gen(function* () {
      const { openai, requests } = yield* anAttempt()
      const server = yield* ScriptedServer
      server.script(thinks("Hm.", "Good day"))
      const answer = yield* Effect.promise(() =>
        openai.responses.create({
          model,
          instructions: "Be brief.",
          input: "Hello",
          max_output_tokens: 99,
          reasoning: { effort: "low", summary: "auto" },
          store: false,
          include: ["reasoning.encrypted_content"]
        })
      )
      assert.strictEqual(answer.output_text, "Good day")
      assert.deepStrictEqual(
        answer.output.map(({ type }) => type),
        ["reasoning", "message"]
      )
      assert.deepInclude(answer, { status: "completed", model, object: "response", instructions: "Be brief." })
      assert.deepInclude(answer.usage!, { input_tokens: 120, output_tokens: 30, total_tokens: 150 })
      const sent = server.asked.at(-1)!.body
      assert.deepInclude(sent as object, { max_tokens: 99, reasoning_effort: "low" })
      assert.deepStrictEqual(sent["messages"] as unknown, [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" }
      ])
      const [request] = yield* requests
      assert.deepInclude(request!, { status: "ok", request_id: answer.id.replace("resp_", ""), output_tokens: 30 })
    }).pipe(Effect.scoped)
  )

  it.effect("streams events that the library puts together to the same answer", () =>
    Effect.gen(function* () {
      const { openai } = yield* anAttempt()
      const server = yield* ScriptedServer
      server.script(thinks("Hm.", "Good day"))
      const { events, final } = yield* Effect.promise(async () => {
        const stream = openai.responses.stream({ model, input: [{ role: "user", content: "Hello" }] })
        const events = []
        for await (const event of stream) events.push(event)
        return { events, final: await stream.finalResponse() }
      })
      assert.strictEqual(final.output_text, "Good day")
      assert.deepStrictEqual(
        events.map((event) => event.sequence_number),
        events.map((_, place) => place)
      )
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        [
          "response.created",
          "response.in_progress",
          "response.output_item.added",
          "response.reasoning_summary_part.added",
          "response.reasoning_summary_text.delta",
          "response.reasoning_summary_text.done",
          "response.reasoning_summary_part.done",
          "response.output_item.done",
          "response.output_item.added",
          "response.content_part.added",
          "response.output_text.delta",
          "response.output_text.done",
          "response.content_part.done",
          "response.output_item.done",
          "response.completed"
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("passes functions, their calls and their outputs on, streamed or not", () =>
    Effect.gen(function* () {
      const { openai } = yield* anAttempt()
      const server = yield* ScriptedServer
      const tools = [
        { type: "function" as const, name: "find", strict: null, parameters: { type: "object", properties: {} } }
      ]
      server.script(calls({ id: "call_1", name: "find", input: { id: 7 } }))
      const streamed = yield* Effect.promise(() =>
        openai.responses.stream({ model, input: "Hello", tools }).finalResponse()
      )
      const [call] = streamed.output
      assert.deepInclude(call as object, {
        type: "function_call",
        call_id: "call_1",
        name: "find",
        arguments: '{"id":7}'
      })
      const plain = yield* Effect.promise(() => openai.responses.create({ model, input: "Hello", tools }))
      assert.deepInclude(plain.output[0] as object, { type: "function_call", call_id: "call_1", arguments: '{"id":7}' })
      server.script(says("Found"))
      const answer = yield* Effect.promise(() =>
        openai.responses.create({
          model,
          tools,
          input: [
            { role: "user", content: [{ type: "input_text", text: "Hello" }] },
            ...(plain.output as never),
            { type: "function_call_output", call_id: "call_1", output: "the order" }
          ]
        })
      )
      assert.strictEqual(answer.output_text, "Found")
      const sent = server.asked.at(-1)!.body["messages"] as unknown as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        sent.map(({ content, role }) => [role, role === "tool" ? content : null]),
        [
          ["user", null],
          ["assistant", null],
          ["tool", "the order"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("says what is incomplete, what breaks off, and what cannot be kept", () =>
    Effect.gen(function* () {
      const { openai } = yield* anAttempt()
      const server = yield* ScriptedServer
      server.script(endsWith("length", "Half"))
      const cut = yield* Effect.promise(() => openai.responses.create({ model, input: "Hello" }))
      assert.deepInclude(cut, { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } })
      server.script(saysAndBreaks("Half"))
      const broken = yield* rejected(openai.responses.stream({ model, input: "Hello" }).finalResponse())
      assert.include(broken.message, "broke off")
      for (const [param, body] of [
        ["/previous_response_id", { previous_response_id: "resp_1" }],
        ["/background", { background: true }],
        ["/input/0/type", { input: [{ type: "file_search_call" }] }],
        ["/input/0/call_id", { input: [{ type: "function_call_output", call_id: "no", output: "x" }] }],
        ["/tools/0/type", { tools: [{ type: "web_search" }] }],
        ["/text/format/schema", { text: { format: { type: "json_schema", name: "x", schema: { type: "array" } } } }]
      ] as const) {
        const error = yield* rejected(openai.responses.create({ model, input: "Hello", ...body } as never))
        assert.deepInclude(error, { status: 422, param }, JSON.stringify(body))
      }
    }).pipe(Effect.scoped)
  )
})
