/** A run's log as chunks of a message, whatever its events are, read by the AI SDK itself. */
import type { MessageChunk } from "@agent-platform/contract"
import { type Run, type RunEvent, RunId, SessionId } from "@agent-platform/runs"
import { anAgent, aRun, aSession, BUILT_AT } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from "ai"
import { Effect, Schema } from "effect"
import { makeMessageChunks } from "../src/views/messageChunks.ts"

const runId = RunId.make("0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77")
const sessionId = SessionId.make("0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a78")

const eventOf = (type: RunEvent["type"], data: RunEvent["data"], index: number): RunEvent => ({
  runId,
  sessionId,
  seq: index + 1,
  type,
  createdAt: BUILT_AT,
  attempt: 1,
  data
})

/** The run as it is at its end. */
const anEnded = (override: Partial<Run>): Run => {
  const agent = anAgent()
  return { ...aRun(agent, aSession(agent)), ...override }
}

const log = (...events: ReadonlyArray<readonly [RunEvent["type"], RunEvent["data"]?]>): ReadonlyArray<RunEvent> =>
  events.map(([type, data = {}], index) => eventOf(type, data, index))

const chunksOf = (events: ReadonlyArray<RunEvent>, ended?: Run): ReadonlyArray<MessageChunk> => {
  const translate = makeMessageChunks()
  return events.flatMap((event) => translate(event, ended))
}

const DEEP = `${"[".repeat(200)}${"]".repeat(200)}`

const members = Schema.Struct({
  text: Schema.optionalKey(Schema.Literals(["", "a", "Hello there", "x".repeat(1_000)])),
  request_id: Schema.optionalKey(Schema.Literals(["r1", "r2"])),
  truncated: Schema.optionalKey(Schema.Boolean),
  name: Schema.optionalKey(Schema.Literals(["find", "ask_user", "", "n".repeat(1_000)])),
  tool_call_id: Schema.optionalKey(Schema.Literals(["1.c1", "1.c2", "2.c1", "c1", "", "i".repeat(1_000)])),
  arguments: Schema.optionalKey(Schema.Literals(['{"a":1}', '{"a', DEEP, ""])),
  result: Schema.optionalKey(Schema.Literals(["found", '{"found":true}', DEEP, ""])),
  is_error: Schema.optionalKey(Schema.Boolean),
  message: Schema.optionalKey(Schema.Literals(["", "Shall I?"])),
  error: Schema.optionalKey(Schema.Literals(["", "It broke"])),
  finish_reason: Schema.optionalKey(Schema.Literals(["stop", "length", "tool_calls", "toString"])),
  tool_call_ids: Schema.optionalKey(Schema.Array(Schema.Literals(["1.c1", "1.c2", "2.c1"]))),
  approvals: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({ tool_call_id: Schema.Literals(["c1", "c2"]), decision: Schema.Literals(["deny", "approve"]) })
    )
  ),
  interrupt: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        type: Schema.Literals(["approvals", "tool_calls", "question", "constructor"]),
        calls: Schema.optionalKey(
          Schema.Array(
            Schema.Struct({
              tool_call_id: Schema.optionalKey(Schema.Literals(["c1", "c2", ""])),
              name: Schema.optionalKey(Schema.Literals(["find", "refund"])),
              error: Schema.optionalKey(Schema.Literals(["Not so"]))
            })
          )
        )
      })
    )
  )
})

const TYPES = [
  "run.queued",
  "run.started",
  "run.retrying",
  "message.delta",
  "message.completed",
  "reasoning.delta",
  "reasoning.completed",
  "tool.started",
  "tool.completed",
  "llm.request",
  "interrupt.requested",
  "message.received",
  "cancel.requested",
  "log"
] as const

const Going = Schema.Array(Schema.Struct({ type: Schema.Literals(TYPES), data: members })).check(Schema.isMaxLength(40))
const Ending = Schema.Struct({
  type: Schema.Literals(["run.succeeded", "run.paused", "run.failed", "run.cancelled"]),
  data: members
})

/** The faults in how chunks are nested, by the rules of the protocol alone. */
const faultsIn = (chunks: ReadonlyArray<MessageChunk>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const open = new Set<string>()
  const calls = new Set<string>()
  for (const [index, chunk] of chunks.entries()) {
    if ((chunk.type === "start") !== (index === 0)) faults.push("start is not the first alone")
    if ((chunk.type === "finish") !== (index === chunks.length - 1)) faults.push("finish is not the last alone")
    if (chunk.type === "text-start" || chunk.type === "reasoning-start") {
      if (open.has(chunk.id)) faults.push(`${chunk.id} begins twice`)
      open.add(chunk.id)
    }
    if ((chunk.type === "text-delta" || chunk.type === "reasoning-delta") && !open.has(chunk.id))
      faults.push(`${chunk.id} goes on`)
    if ((chunk.type === "text-end" || chunk.type === "reasoning-end") && !open.delete(chunk.id))
      faults.push(`${chunk.id} ends`)
    if (chunk.type === "start-step") {
      if (open.has("step")) faults.push("a step begins in a step")
      open.add("step")
    }
    if (chunk.type === "finish-step" && !open.delete("step")) faults.push("no step ends")
    if (chunk.type === "tool-input-available") calls.add(chunk.toolCallId)
    else if ("toolCallId" in chunk && !calls.has(chunk.toolCallId)) faults.push(`${chunk.toolCallId} has no input`)
  }
  return open.size === 0 ? faults : [...faults, "words do not end"]
}

const streamOf = (chunks: ReadonlyArray<MessageChunk>): ReadableStream<UIMessageChunk> =>
  new ReadableStream<UIMessageChunk>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    }
  })

/** The message as the AI SDK reads it. A failure of the run is passed over, one of the stream is not. */
const read = async (chunks: ReadonlyArray<MessageChunk>): Promise<UIMessage> => {
  let message: UIMessage | undefined
  const failures: Array<unknown> = []
  const stream = streamOf(chunks.filter(({ type }) => type !== "error"))
  for await (const next of readUIMessageStream({ stream, onError: (error) => failures.push(error) })) message = next
  assert.deepStrictEqual(failures, [])
  assert.isDefined(message)
  return message as UIMessage
}

const said = (message: UIMessage) =>
  message.parts
    .filter(({ type }) => type !== "step-start")
    .map((part) => (part.type === "text" || part.type === "reasoning" ? `${part.type}: ${part.text}` : part.type))

const toolsOf = ({ parts }: UIMessage) => parts.filter(({ type }) => type === "dynamic-tool")

describe("a run's log as a message", () => {
  it.effect.prop(
    "is well nested and complete, and read by the AI SDK, whatever the events are",
    [Going, Ending],
    ([going, ending]) =>
      Effect.promise(async () => {
        const events = [...going, ending].map(({ data, type }, index) => eventOf(type, data as RunEvent["data"], index))
        const chunks = chunksOf(events, anEnded({ message: "Done", result: { amount: 1 } }))
        assert.deepStrictEqual(faultsIn(chunks), [])
        const validate = uiMessageChunkSchema().validate
        for (const chunk of chunks) assert.isTrue((await validate?.(JSON.parse(JSON.stringify(chunk))))?.success)
        const message = await read(JSON.parse(JSON.stringify(chunks)))
        for (const part of message.parts) {
          if (part.type === "text" || part.type === "reasoning") assert.strictEqual(part.state, "done")
          if (part.type !== "dynamic-tool") continue
          const waits = part.toolMetadata?.["waits_for"]
          const expected = waits === "approval" ? "approval-requested" : "input-available"
          const isSettled =
            part.state === "output-available" || part.state === "output-error" || part.state === "output-denied"
          assert.isTrue(isSettled || (waits !== undefined && part.state === expected), part.state)
        }
      })
  )
  it.effect("has the words and the tools of a chat in their order, each once", () =>
    Effect.promise(async () => {
      const events = log(
        ["run.queued"],
        ["run.started"],
        ["reasoning.delta", { text: "Hm", request_id: "r1" }],
        ["message.delta", { text: "Let me ", request_id: "r1" }],
        ["message.delta", { text: "look.", request_id: "r1" }],
        ["llm.request", { request_id: "r1", finish_reason: "tool_calls" }],
        ["reasoning.completed", { text: "Hm", request_id: "r1" }],
        ["message.completed", { text: "Let me look.", request_id: "r1" }],
        ["tool.started", { name: "find", tool_call_id: "1.c1", arguments: '{"id":7}' }],
        ["tool.completed", { name: "find", tool_call_id: "1.c1", is_error: false, result: '{"found":true}' }],
        ["message.completed", { text: "Found it.", request_id: "r2" }],
        ["llm.request", { request_id: "r2", finish_reason: "length" }],
        ["run.succeeded"]
      )
      const chunks = chunksOf(events, anEnded({ message: "Found it.", result: "Found it." }))
      const message = await read(chunks)
      assert.deepStrictEqual(said(message), ["reasoning: Hm", "text: Let me look.", "dynamic-tool", "text: Found it."])
      assert.deepInclude(toolsOf(message)[0] as object, {
        toolName: "find",
        state: "output-available",
        input: { id: 7 },
        output: { found: true },
        providerExecuted: true
      })
      assert.strictEqual(message.id, runId)
      assert.deepStrictEqual(message.metadata, { run_id: runId, session_id: sessionId, status: "succeeded" })
      assert.deepInclude(chunks.at(-1) as object, { type: "finish", finishReason: "length" })
    })
  )

  it.effect("marks words that broke off, and gives up calls whose worker was lost", () =>
    Effect.promise(async () => {
      const message = await read(
        chunksOf(
          log(
            ["message.delta", { text: "Hel", request_id: "r1" }],
            ["message.delta", { text: "Hello", request_id: "r2" }],
            ["message.completed", { text: "Hello", request_id: "r2" }],
            ["tool.started", { name: "find" }],
            ["run.retrying", { reason: "worker_lost" }],
            ["run.failed", { error_code: "agent_error", error: "It broke" }]
          )
        )
      )
      assert.deepStrictEqual(said(message), ["text: Hel", "text: Hello", "dynamic-tool"])
      assert.deepInclude(message.parts[1] as object, { providerMetadata: { "agent-platform": { broken_off: true } } })
      assert.isUndefined((message.parts[2] as { providerMetadata?: object }).providerMetadata)
      assert.deepInclude(toolsOf(message)[0] as object, { state: "output-error" })
      assert.deepInclude(message.metadata as object, { status: "failed", error: "It broke" })
    })
  )

  it.effect("asks for what a pause waits for, under the ids that the log has", () =>
    Effect.promise(async () => {
      const calls = [{ tool_call_id: "c1", name: "refund", input: { amount: 40 } }]
      const paused = (type: string) =>
        log(
          ["interrupt.requested", { message: "Waits", tool_call_ids: ["2.c1"] }],
          ["run.paused", { message: "Waits", interrupt: { type, calls } }]
        )
      const approval = await read(chunksOf(paused("approvals")))
      assert.deepInclude(toolsOf(approval)[0] as object, {
        type: "dynamic-tool",
        toolCallId: "2.c1",
        toolName: "refund",
        state: "approval-requested",
        input: { amount: 40 },
        approval: { id: `${runId}/c1` },
        toolMetadata: { waits_for: "approval", run_id: runId, reply_id: "c1" }
      })
      const result = await read(chunksOf(paused("tool_calls")))
      assert.deepInclude(toolsOf(result)[0] as object, { state: "input-available", providerExecuted: false })
      const question = await read(chunksOf(log(["run.paused", { message: "Shall I?", interrupt: { amount: 40 } }])))
      assert.deepStrictEqual(said(question), ["text: Shall I?", "data-question"])
    })
  )

  it.effect("says what an agent of one's own ends with, unless its words were the same", () =>
    Effect.promise(async () => {
      const ended = anEnded({ message: "Refunded.", result: { refund: "12.50" } })
      const alone = await read(chunksOf(log(["run.succeeded"]), ended))
      assert.deepStrictEqual(said(alone), ["text: Refunded.", "data-result"])
      const after = await read(
        chunksOf(
          log(
            ["message.delta", { text: "Refun" }],
            ["tool.started", { name: "find", order: "4711" }],
            ["tool.completed", { name: "find", found: 1 }],
            ["message.delta", { text: "ded." }],
            ["message.completed", { text: "Refunded." }],
            ["run.succeeded"]
          ),
          ended
        )
      )
      assert.deepStrictEqual(said(after), ["text: Refun", "dynamic-tool", "text: ded.", "data-result"])
      assert.deepInclude(toolsOf(after)[0] as object, { input: { order: "4711" }, output: { found: 1 } })
    })
  )
})
