/** Answers in the wire form of each interface, as a scripted server gives them. */
import type { Buffer } from "node:buffer"
import { event, frames, USAGE } from "./bedrockWire.ts"
import { type Answer, broken, events, hanging } from "./ScriptedServer.ts"
import * as compatible from "./wire.ts"

/** The providers whose answers are events; Bedrock sends frames, and Vertex AI needs a token first. */
export type Scripted = "openai" | "azure" | "anthropic" | "google" | "openai_compatible"

/** The interfaces that providers have: Azure's is OpenAI's, and those of Vertex AI are Google's and Anthropic's. */
export type Interface = Exclude<Scripted, "azure"> | "bedrock"

/** A call for a tool. */
interface Call {
  readonly name: string
  readonly input: unknown
}

/** An answer: what was thought, then words, then calls for tools. */
export interface Said {
  /** All at once, or piece by piece. */
  readonly text?: string | ReadonlyArray<string>
  readonly reasoning?: string
  readonly call?: Call
  readonly calls?: ReadonlyArray<Call>
  /** Whether it reached its limit of tokens. */
  readonly isCut?: boolean
  /** The provider's count of its input, in the words of Anthropic. */
  readonly counted?: object
}

/** An answer as it goes over the wire: what is said, and what tells that this was all. */
interface Sent<Event> {
  readonly parts: ReadonlyArray<Event>
  readonly last: ReadonlyArray<Event>
}

const piecesOf = ({ text = [] }: Said): ReadonlyArray<string> => (typeof text === "string" ? [text] : text)
const callsOf = ({ call, calls = [] }: Said): ReadonlyArray<Call> => (call === undefined ? calls : [call, ...calls])
const hasText = ({ text }: Said): boolean => text !== undefined

let ids = 0

const responses = (said: Said): Sent<unknown> => {
  const { isCut = false, reasoning } = said
  const thought = { type: "reasoning", id: "rs_1", encrypted_content: "e", summary: [] as Array<unknown> }
  const message = { type: "message", id: "msg_1" }
  const usage = {
    input_tokens: 40,
    input_tokens_details: { cached_tokens: 30 },
    output_tokens: 8,
    output_tokens_details: { reasoning_tokens: 4 }
  }
  const about = { item_id: "rs_1", summary_index: 0 }
  const thinking =
    reasoning === undefined
      ? []
      : [
          { type: "response.output_item.added", output_index: 0, item: thought },
          { type: "response.reasoning_summary_part.added", ...about },
          { type: "response.reasoning_summary_text.delta", ...about, output_index: 0, delta: reasoning },
          { type: "response.reasoning_summary_part.done", ...about },
          {
            type: "response.output_item.done",
            output_index: 0,
            item: { ...thought, summary: [{ type: "summary_text", text: reasoning }] }
          }
        ]
  const words = hasText(said)
    ? [
        { type: "response.output_item.added", output_index: 1, item: message },
        ...piecesOf(said).map((delta) => ({ type: "response.output_text.delta", item_id: "msg_1", delta })),
        { type: "response.output_item.done", output_index: 1, item: message }
      ]
    : []
  const calling = callsOf(said).flatMap(({ input, name }, place) => {
    const item = { type: "function_call", id: `fc_${++ids}`, call_id: `call_${ids}`, name }
    const text = JSON.stringify(input)
    const output_index = 2 + place
    return [
      { type: "response.output_item.added", output_index, item: { ...item, arguments: "" } },
      { type: "response.function_call_arguments.delta", item_id: item.id, output_index, delta: text },
      { type: "response.output_item.done", output_index, item: { ...item, arguments: text, status: "completed" } }
    ]
  })
  const created = { type: "response.created", response: { id: "resp_1", created_at: 1_790_000_000, model: "m" } }
  return {
    parts: [created, ...thinking, ...words, ...calling],
    last: [
      isCut
        ? { type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" }, usage } }
        : { type: "response.completed", response: { incomplete_details: null, usage } }
    ]
  }
}

const messages = (said: Said): Sent<unknown> => {
  const { counted, isCut = false, reasoning } = said
  const calls = callsOf(said)
  const blocks: ReadonlyArray<readonly [block: object, deltas: ReadonlyArray<object>]> = [
    ...(reasoning === undefined
      ? []
      : ([
          [
            { type: "thinking", thinking: "", signature: "" },
            [
              { type: "thinking_delta", thinking: reasoning },
              { type: "signature_delta", signature: "s" }
            ]
          ]
        ] as const)),
    ...(hasText(said)
      ? ([[{ type: "text", text: "" }, piecesOf(said).map((text) => ({ type: "text_delta", text }))]] as const)
      : []),
    ...calls.map(
      ({ input, name }) =>
        [
          { type: "tool_use", id: `toolu_${++ids}`, name, input: {} },
          [{ type: "input_json_delta", partial_json: JSON.stringify(input) }]
        ] as const
    )
  ]
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 10,
    output_tokens: 1,
    ...counted
  }
  const stop = isCut ? "max_tokens" : calls.length === 0 ? "end_turn" : "tool_use"
  return {
    parts: [
      { type: "message_start", message: { id: "msg_1", model: "m", role: "assistant", content: [], usage } },
      ...blocks.flatMap(([content_block, deltas], index) => [
        { type: "content_block_start", index, content_block },
        ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index }
      ])
    ],
    last: [
      { type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 8 } },
      { type: "message_stop" }
    ]
  }
}

const contents = (said: Said): Sent<unknown> => {
  const { isCut = false, reasoning } = said
  const part = (parts: ReadonlyArray<unknown>) => ({ candidates: [{ content: { role: "model", parts }, index: 0 }] })
  const finishReason = isCut ? "MAX_TOKENS" : "STOP"
  const usageMetadata = {
    promptTokenCount: 40,
    cachedContentTokenCount: 30,
    candidatesTokenCount: 8,
    totalTokenCount: 48
  }
  return {
    parts: [
      ...(reasoning === undefined ? [] : [part([{ text: reasoning, thought: true, thoughtSignature: "s" }])]),
      ...piecesOf(said).map((text) => part([{ text }])),
      ...callsOf(said).map(({ input, name }) => part([{ functionCall: { name, args: input } }]))
    ],
    last: [{ candidates: [{ content: { role: "model", parts: [] }, finishReason, index: 0 }], usageMetadata }]
  }
}

const chunks = (said: Said): Sent<unknown> => {
  const { isCut = false, reasoning } = said
  const calls = callsOf(said)
  const chunk = (delta: unknown, finish_reason: string | null = null) => ({
    id: "c",
    object: "chat.completion.chunk",
    created: 1_790_000_000,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }]
  })
  const tool_calls = calls.map(({ input, name }, index) => ({
    index,
    id: `call_${++ids}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) }
  }))
  return {
    parts: [
      ...(reasoning === undefined ? [] : [chunk({ role: "assistant", reasoning_content: reasoning })]),
      ...piecesOf(said).map((content) => chunk({ role: "assistant", content })),
      ...(calls.length === 0 ? [] : [chunk({ role: "assistant", tool_calls })])
    ],
    last: [
      chunk({}, isCut ? "length" : calls.length === 0 ? "stop" : "tool_calls"),
      { ...chunk({}), choices: [], usage: compatible.USAGE },
      "[DONE]"
    ]
  }
}

const converse = (said: Said): Sent<Buffer> => {
  const { isCut = false, reasoning } = said
  const calls = callsOf(said)
  let contentBlockIndex = -1
  const block = (start: object | undefined, deltas: ReadonlyArray<object>): ReadonlyArray<Buffer> => {
    contentBlockIndex += 1
    return [
      ...(start === undefined ? [] : [event("contentBlockStart", { contentBlockIndex, start })]),
      ...deltas.map((delta) => event("contentBlockDelta", { contentBlockIndex, delta })),
      event("contentBlockStop", { contentBlockIndex })
    ]
  }
  const stopReason = isCut ? "max_tokens" : calls.length === 0 ? "end_turn" : "tool_use"
  return {
    parts: [
      event("messageStart", { role: "assistant" }),
      ...(reasoning === undefined
        ? []
        : block(undefined, [{ reasoningContent: { text: reasoning } }, { reasoningContent: { signature: "s" } }])),
      ...(hasText(said)
        ? block(
            undefined,
            piecesOf(said).map((text) => ({ text }))
          )
        : []),
      ...calls.flatMap(({ input, name }) =>
        block({ toolUse: { toolUseId: `tooluse_${++ids}`, name } }, [{ toolUse: { input: JSON.stringify(input) } }])
      )
    ],
    last: [event("messageStop", { stopReason }), event("metadata", { usage: USAGE })]
  }
}

/** The ways in which an interface answers: whole, broken off before its end, or silent from there on. */
export interface Wire {
  readonly whole: (said: Said) => Answer
  readonly broken: (said: Said) => Answer
  readonly hanging: (said: Said) => Answer
}

const asEvents = (sent: (said: Said) => Sent<unknown>): Wire => ({
  whole: (said) => {
    const { last, parts } = sent(said)
    return events(...parts, ...last)
  },
  broken: (said) => broken(...sent(said).parts),
  hanging: (said) => hanging(...sent(said).parts)
})

/** Each interface. */
export const WIRES: Readonly<Record<Interface, Wire>> = {
  openai: asEvents(responses),
  anthropic: asEvents(messages),
  google: asEvents(contents),
  openai_compatible: asEvents(chunks),
  bedrock: {
    whole: (said) => {
      const { last, parts } = converse(said)
      return frames([...parts, ...last])
    },
    broken: (said) => frames(converse(said).parts, { isCut: true }),
    hanging: (said) => frames(converse(said).parts, { hangs: true })
  }
}

/** The answer as the provider sends it. */
export const answerOf: Readonly<Record<Scripted, (said: Said) => Answer>> = {
  openai: WIRES.openai.whole,
  azure: WIRES.openai.whole,
  anthropic: WIRES.anthropic.whole,
  google: WIRES.google.whole,
  openai_compatible: WIRES.openai_compatible.whole
}

/** A model of each provider. */
export const MODEL_OF: Readonly<Record<Scripted, string>> = {
  openai: "openai/gpt-4o",
  azure: "azure/my-deployment",
  anthropic: "anthropic/claude-sonnet-4-5",
  google: "google/gemini-2.5-flash",
  openai_compatible: "openai_compatible/small"
}
