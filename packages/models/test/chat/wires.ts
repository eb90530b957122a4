/** Answers in the wire form of each provider, as a scripted server gives them. */
import type { Provider } from "@agent-platform/keys"
import { type Answer, events } from "./ScriptedServer.ts"
import * as compatible from "./wire.ts"

/** The providers whose answers are events; Bedrock sends frames, and Vertex AI needs a token first. */
export type Scripted = Exclude<Provider, "bedrock" | "vertex">

/** An answer: what was thought, then words or one call for a tool. */
export interface Said {
  readonly text?: string
  readonly reasoning?: string
  readonly call?: { readonly name: string; readonly input: unknown }
  /** Whether it reached its limit of tokens. */
  readonly isCut?: boolean
  /** The provider's count of its input, in the words of Anthropic. */
  readonly counted?: object
}

let calls = 0

const responses = ({ call, isCut = false, reasoning, text }: Said): Answer => {
  const thought = { type: "reasoning", id: "rs_1", encrypted_content: "e", summary: [] as Array<unknown> }
  const message = { type: "message", id: "msg_1" }
  const item = { type: "function_call", id: `fc_${++calls}`, call_id: `call_${calls}`, name: call?.name }
  const input = JSON.stringify(call?.input)
  const usage = {
    input_tokens: 40,
    input_tokens_details: { cached_tokens: 30 },
    output_tokens: 8,
    output_tokens_details: { reasoning_tokens: 4 }
  }
  return events(
    { type: "response.created", response: { id: "resp_1", created_at: 1_790_000_000, model: "m" } },
    ...(reasoning === undefined
      ? []
      : [
          { type: "response.output_item.added", output_index: 0, item: thought },
          { type: "response.reasoning_summary_part.added", item_id: "rs_1", summary_index: 0 },
          {
            type: "response.reasoning_summary_text.delta",
            item_id: "rs_1",
            summary_index: 0,
            output_index: 0,
            delta: reasoning
          },
          { type: "response.reasoning_summary_part.done", item_id: "rs_1", summary_index: 0 },
          {
            type: "response.output_item.done",
            output_index: 0,
            item: { ...thought, summary: [{ type: "summary_text", text: reasoning }] }
          }
        ]),
    ...(text === undefined
      ? []
      : [
          { type: "response.output_item.added", output_index: 1, item: message },
          { type: "response.output_text.delta", item_id: "msg_1", delta: text },
          { type: "response.output_item.done", output_index: 1, item: message }
        ]),
    ...(call === undefined
      ? []
      : [
          { type: "response.output_item.added", output_index: 1, item: { ...item, arguments: "" } },
          { type: "response.function_call_arguments.delta", item_id: item.id, output_index: 1, delta: input },
          {
            type: "response.output_item.done",
            output_index: 1,
            item: { ...item, arguments: input, status: "completed" }
          }
        ]),
    isCut
      ? { type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" }, usage } }
      : { type: "response.completed", response: { incomplete_details: null, usage } }
  )
}

const messages = ({ call, counted, isCut = false, reasoning, text }: Said): Answer => {
  const blocks = [
    ...(reasoning === undefined
      ? []
      : [
          [
            { type: "thinking", thinking: "", signature: "" },
            { type: "thinking_delta", thinking: reasoning }
          ],
          [undefined, { type: "signature_delta", signature: "s" }]
        ]),
    ...(text === undefined
      ? []
      : [
          [
            { type: "text", text: "" },
            { type: "text_delta", text }
          ]
        ]),
    ...(call === undefined
      ? []
      : [
          [
            { type: "tool_use", id: `toolu_${++calls}`, name: call.name, input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
          ]
        ])
  ]
  let index = -1
  const deltas = blocks.flatMap(([block, delta], place) => {
    if (block !== undefined) index += 1
    const isLast = blocks[place + 1] === undefined || blocks[place + 1]?.[0] !== undefined
    return [
      ...(block === undefined ? [] : [{ type: "content_block_start", index, content_block: block }]),
      { type: "content_block_delta", index, delta },
      ...(isLast ? [{ type: "content_block_stop", index }] : [])
    ]
  })
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 10,
    output_tokens: 1,
    ...counted
  }
  const stop = isCut ? "max_tokens" : call === undefined ? "end_turn" : "tool_use"
  return events(
    { type: "message_start", message: { id: "msg_1", model: "m", role: "assistant", content: [], usage } },
    ...deltas,
    { type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 8 } },
    { type: "message_stop" }
  )
}

const contents = ({ call, isCut = false, reasoning, text }: Said): Answer => {
  const part = (parts: ReadonlyArray<unknown>) => ({ candidates: [{ content: { role: "model", parts }, index: 0 }] })
  return events(
    ...(reasoning === undefined ? [] : [part([{ text: reasoning, thought: true }])]),
    ...(text === undefined ? [] : [part([{ text }])]),
    ...(call === undefined ? [] : [part([{ functionCall: { name: call.name, args: call.input } }])]),
    {
      candidates: [{ content: { role: "model", parts: [] }, finishReason: isCut ? "MAX_TOKENS" : "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 8, totalTokenCount: 48 }
    }
  )
}

const chunks = ({ call, isCut = false, reasoning, text = "" }: Said): Answer => {
  if (call !== undefined) return compatible.calls({ id: `call_${++calls}`, ...call })
  const chunk = (delta: unknown, finish_reason: string | null = null) => ({
    id: "c",
    object: "chat.completion.chunk",
    created: 1_790_000_000,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }]
  })
  return events(
    ...(reasoning === undefined ? [] : [chunk({ role: "assistant", reasoning_content: reasoning })]),
    chunk({ role: "assistant", content: text }),
    chunk({}, isCut ? "length" : "stop"),
    { ...chunk({}), choices: [], usage: compatible.USAGE },
    "[DONE]"
  )
}

/** The answer as the provider sends it. */
export const answerOf: Readonly<Record<Scripted, (said: Said) => Answer>> = {
  openai: responses,
  azure: responses,
  anthropic: messages,
  google: contents,
  openai_compatible: chunks
}

/** A model of each provider. */
export const MODEL_OF: Readonly<Record<Scripted, string>> = {
  openai: "openai/gpt-4o",
  azure: "azure/my-deployment",
  anthropic: "anthropic/claude-sonnet-4-5",
  google: "google/gemini-2.5-flash",
  openai_compatible: "openai_compatible/small"
}
