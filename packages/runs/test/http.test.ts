/** The recipe `http` over an egress in memory. */
import { aStreamedResponse } from "@agent-platform/kernel/memory"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { RUN_EVENT_DATA } from "../src/index.ts"
import { cut, execute, isFailure, lines, memory, URL } from "./httpSupport.ts"

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

  it.effect("leaves out of an event what readers know in another form, and keeps all else", () =>
    Effect.gen(function* () {
      const text = lines(
        {
          type: "tool.completed",
          name: "find",
          result: { a: 1 },
          is_error: "no",
          duration_ms: "1 s",
          bytes: 1.5,
          of: 7
        },
        { type: "tool.completed", name: "find", result: "text", is_error: false, duration_ms: 12.5, truncated: true },
        { type: "log", message: "m", provider: ["mine"], about_provider: true, data: { b: null } },
        { type: "result" }
      )
      const { events } = yield* execute(aStreamedResponse(text))
      assert.deepStrictEqual(events, [
        ["tool.completed", { name: "find", result: { a: 1 }, of: 7 }],
        ["tool.completed", { name: "find", result: "text", is_error: false, duration_ms: 12.5, truncated: true }],
        ["log", { message: "m", data: { b: null } }]
      ])
      for (const [type, data] of events) {
        const schema = RUN_EVENT_DATA[type as keyof typeof RUN_EVENT_DATA] as Schema.Codec<unknown>
        assert.isTrue(Schema.is(schema)(data), type)
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
      "has an integer that would be changed": '{"type": "result", "result": {"id": 9007199254740993}}\n',
      "has a number that is too large": '{"type": "pause", "message": "?", "interrupt": {"id": 1e400}}\n',
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

  const USAGE = { type: "usage", provider: "openai", model: "gpt-5", input_tokens: 1, output_tokens: 0 }
  const faulty: ReadonlyArray<readonly [Record<string, unknown>, string]> = [
    [{ type: "message.delta" }, "is no line 'message.delta': /text is required"],
    [{ type: "message.delta", text: 5 }, "is no line 'message.delta': /text must be a string"],
    [{ type: "result", reslut: 1 }, "is no line 'result': /reslut is not known here"],
    [{ type: "tool.started", id: 1 }, "is no line 'tool.started': /name is required"],
    [
      { type: "fail", error: "x", error_code: "cap_reached" },
      `is no line 'fail': /error_code must be one of "agent_error", "invalid_input"`
    ],
    [{ ...USAGE, input_tokens: 1.5 }, "is no line 'usage': /input_tokens must be a whole number from 0 to 1000000000"],
    [{ ...USAGE, model: "" }, "is no line 'usage': /model must have 1 to 200 characters"],
    [{ ...USAGE, cache_read_tokens: 2 }, "is no line 'usage': it must not have more tokens in parts than in all"]
  ]
  for (const [line, said] of faulty) {
    it.effect(`says what is wrong in ${JSON.stringify(line)}`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* execute(aStreamedResponse(lines(line)))
        assert.strictEqual(outcome._tag === "Failed" ? outcome.error : "", `Line 1 of the agent's answer ${said}`)
      })
    )
  }
})
