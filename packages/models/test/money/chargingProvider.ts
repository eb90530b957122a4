/** A provider on loopback that charges: it counts each request by what it was sent and told, and ends it as a test wants. */
import { NO_TOKENS, type TokenUsage } from "@agent-platform/billing"
import { type Answer, type Asked, json } from "../chat/ScriptedServer.ts"

/** The providers whose protocols it speaks. */
export const PROVIDERS = ["openai_compatible", "anthropic", "openai", "google"] as const
export type Charging = (typeof PROVIDERS)[number]

/** How a request ends. */
export const ENDINGS = [
  "words",
  "tool",
  "length",
  /** It charges for more than it was asked for. */
  "overcharge",
  /** Refused before it has worked. */
  "busy",
  "limited",
  "refused",
  /** The connection breaks off: before the first byte, in the middle, and when all but the end was said. */
  "cutAtOnce",
  "cut",
  "cutCounted",
  /** It reports a failure in its stream before it has counted. */
  "error",
  /** It goes silent, at the same places, and its run is cancelled. */
  "abortAtOnce",
  "abort",
  "abortCounted",
  /** It answers well, and the worker dies before it has settled the call. */
  "crash"
] as const
export type Ending = (typeof ENDINGS)[number]

/** A request as the provider saw it. */
export interface Charge {
  readonly provider: Charging
  readonly ending: Ending
  /** The limit of output tokens that it was sent. */
  readonly limit: number
  /** The tokens that it charges for. */
  readonly usage: TokenUsage
  /** Whether it has said so. */
  readonly isTold: boolean
  /** Whether it answered at once that it will not work, which costs nothing. */
  readonly isRefused: boolean
  /** Bytes of words and arguments that it sent. */
  readonly bytesShown: number
}

const limitOf = (provider: Charging, { body }: Asked): number =>
  Number(
    provider === "google"
      ? body["generationConfig"]?.["maxOutputTokens"]
      : body[provider === "openai" ? "max_output_tokens" : "max_tokens"]
  )

/** Its own count of what it was sent, a part of it from its cache; and of what it gives back. */
const usageFor = (asked: Asked, limit: number, ending: Ending, share: number): TokenUsage => {
  const inputTokens = Math.ceil(asked.text.length / 4)
  const cacheReadTokens = Math.floor(inputTokens * share)
  const plain = Math.max(1, Math.ceil((limit * (1 + share)) / 3))
  const outputTokens = ending === "length" ? limit : ending === "overcharge" ? limit * 3 : Math.min(limit, plain)
  return { ...NO_TOKENS, inputTokens, cacheReadTokens, outputTokens }
}

/** The events of an answer: those before its words, the words, and those that end and count it. */
interface Wire {
  readonly head: ReadonlyArray<unknown>
  readonly said: (words: string) => ReadonlyArray<unknown>
  readonly called: (id: string, input: string) => ReadonlyArray<unknown>
  readonly counted: (reason: "stop" | "length" | "tool", usage: TokenUsage) => ReadonlyArray<unknown>
  readonly end: ReadonlyArray<unknown>
  readonly failed: unknown
}

const chunk = (delta: unknown, finish: string | null = null) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1_790_000_000,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }]
})

const compatible: Wire = {
  head: [],
  said: (content) => [chunk({ role: "assistant", content })],
  called: (id, args) => [
    chunk({ tool_calls: [{ index: 0, id, type: "function", function: { name: "nothing", arguments: args } }] })
  ],
  counted: (reason, { cacheReadTokens, inputTokens, outputTokens }) => [
    chunk({}, reason === "tool" ? "tool_calls" : reason),
    {
      ...chunk({}),
      choices: [],
      usage: {
        prompt_tokens: inputTokens,
        completion_tokens: outputTokens,
        prompt_tokens_details: { cached_tokens: cacheReadTokens }
      }
    }
  ],
  end: ["[DONE]"],
  failed: { error: { message: "overloaded", type: "server_error", code: 500 } }
}

const anthropic = ({ cacheReadTokens, inputTokens }: TokenUsage): Wire => {
  const block = (type: object, delta: object) => [
    { type: "content_block_start", index: 0, content_block: type },
    { type: "content_block_delta", index: 0, delta }
  ]
  return {
    head: [
      {
        type: "message_start",
        message: {
          id: "msg_1",
          model: "m",
          role: "assistant",
          content: [],
          usage: {
            input_tokens: inputTokens - cacheReadTokens,
            cache_read_input_tokens: cacheReadTokens,
            cache_creation_input_tokens: 0,
            output_tokens: 1
          }
        }
      }
    ],
    said: (text) => block({ type: "text", text: "" }, { type: "text_delta", text }),
    called: (id, input) =>
      block({ type: "tool_use", id, name: "nothing", input: {} }, { type: "input_json_delta", partial_json: input }),
    counted: (reason, { outputTokens }) => [
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: { stop: "end_turn", length: "max_tokens", tool: "tool_use" }[reason] },
        usage: { output_tokens: outputTokens }
      }
    ],
    end: [{ type: "message_stop" }],
    failed: { type: "error", error: { type: "overloaded_error", message: "overloaded" } }
  }
}

const openai: Wire = {
  head: [{ type: "response.created", response: { id: "resp_1", created_at: 1_790_000_000, model: "m" } }],
  said: (delta) => [
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1" } },
    { type: "response.output_text.delta", item_id: "msg_1", delta },
    { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "msg_1" } }
  ],
  called: (id, args) => {
    const item = { type: "function_call", id: `fc_${id}`, call_id: id, name: "nothing" }
    return [
      { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
      { type: "response.function_call_arguments.delta", item_id: item.id, output_index: 0, delta: args },
      { type: "response.output_item.done", output_index: 0, item: { ...item, arguments: args, status: "completed" } }
    ]
  },
  counted: (reason, { cacheReadTokens, inputTokens, outputTokens }) => [
    {
      type: reason === "length" ? "response.incomplete" : "response.completed",
      response: {
        incomplete_details: reason === "length" ? { reason: "max_output_tokens" } : null,
        usage: {
          input_tokens: inputTokens,
          input_tokens_details: { cached_tokens: cacheReadTokens },
          output_tokens: outputTokens
        }
      }
    }
  ],
  end: [],
  failed: { type: "error", sequence_number: 1, error: { type: "server_error", code: "server_error", message: "no" } }
}

const google: Wire = {
  head: [],
  said: (text) => [{ candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0 }] }],
  called: (_id, args) => {
    const part = { functionCall: { name: "nothing", args: JSON.parse(args) } }
    return [{ candidates: [{ content: { role: "model", parts: [part] }, index: 0 }] }]
  },
  counted: (reason, { cacheReadTokens, inputTokens, outputTokens }) => [
    {
      candidates: [
        {
          content: { role: "model", parts: [] },
          finishReason: reason === "length" ? "MAX_TOKENS" : "STOP",
          index: 0
        }
      ],
      usageMetadata: {
        promptTokenCount: inputTokens,
        cachedContentTokenCount: cacheReadTokens,
        candidatesTokenCount: outputTokens
      }
    }
  ],
  end: [],
  failed: { error: { code: 503, message: "overloaded", status: "UNAVAILABLE" } }
}

const wireOf = (provider: Charging, usage: TokenUsage): Wire =>
  ({ openai_compatible: compatible, anthropic: anthropic(usage), openai, google })[provider]

const REFUSALS = { busy: 503, limited: 429, refused: 400 } as const

const WORDS = "So it is, said the model. "
const INPUT = JSON.stringify({ why: "to see" })
let calls = 0

const line = (event: unknown): string => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`

/** Answers a request with this ending. The charge is handed over before anything is sent; `onSilent` is called when it goes silent. */
export const charge = (
  provider: Charging,
  ending: Ending,
  share: number,
  hooks: { readonly onCharge: (charge: Charge) => void; readonly onSilent: (charge: Charge) => void }
): Answer => {
  return (response, asked) => {
    const limit = limitOf(provider, asked)
    const refusal = ending in REFUSALS ? REFUSALS[ending as keyof typeof REFUSALS] : undefined
    const usage = refusal === undefined ? usageFor(asked, limit, ending, share) : NO_TOKENS
    const isCounted = !(["cutAtOnce", "cut", "error", "abortAtOnce", "abort"] as ReadonlyArray<Ending>).includes(ending)
    const isSilentAtOnce = ending === "cutAtOnce" || ending === "abortAtOnce"
    const bytesShown = refusal !== undefined || isSilentAtOnce ? 0 : ending === "tool" ? INPUT.length : WORDS.length
    const isRefused = refusal !== undefined
    const charged: Charge = { provider, ending, limit, usage, isTold: isCounted && !isRefused, isRefused, bytesShown }
    hooks.onCharge(charged)
    if (refusal !== undefined) {
      return json(refusal, { error: { message: "no", type: "no" } }, { "retry-after": "1" })(response, asked)
    }
    const wire = wireOf(provider, usage)
    const said = ending === "tool" ? wire.called(`call_${++calls}`, INPUT) : wire.said(WORDS)
    const reason = ending === "tool" ? "tool" : ending === "length" ? "length" : "stop"
    const begin = () => response.writeHead(200, { "content-type": "text/event-stream" })
    // The end of what was written, and of the connection, without the end of the answer.
    const cut = () => void response.socket?.end()
    const write = (...events: ReadonlyArray<unknown>) => response.write(events.map(line).join(""))
    switch (ending) {
      case "cutAtOnce":
        return response.destroy()
      case "abortAtOnce":
        return hooks.onSilent(charged)
      case "cut":
        begin()
        write(...wire.head, ...said)
        return setImmediate(cut)
      case "cutCounted":
        begin()
        write(...wire.head, ...said, ...wire.counted(reason, usage))
        return setImmediate(cut)
      case "error":
        begin()
        write(...wire.head, ...said, wire.failed)
        return response.end()
      case "abort":
        begin()
        write(...wire.head, ...said)
        return hooks.onSilent(charged)
      case "abortCounted":
        begin()
        write(...wire.head, ...said, ...wire.counted(reason, usage))
        return hooks.onSilent(charged)
      default:
        begin()
        write(...wire.head, ...said, ...wire.counted(reason, usage), ...wire.end)
        return response.end()
    }
  }
}
