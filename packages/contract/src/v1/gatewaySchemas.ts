/** The gateway's bodies: the members of OpenAI's interfaces that are read, and those that mean nothing here. */
import { REASONING_EFFORTS } from "@agent-platform/runs"
import { Schema } from "effect"
import { JsonOut, maybe } from "./formats.ts"

const number = (description: string, minimum: number, maximum: number) =>
  maybe(
    Schema.Finite.annotate({ description }).check(
      Schema.isBetween({ minimum, maximum }, { message: `must be a number from ${minimum} to ${maximum}` })
    )
  )

const whole = (description: string, minimum: number, maximum: number) =>
  maybe(
    Schema.Int.annotate({ description }).check(
      Schema.isBetween({ minimum, maximum }, { message: `must be a whole number from ${minimum} to ${maximum}` })
    )
  )

const MODEL_LENGTH_MAX = 200
const OUTPUT_TOKENS_MAX = 128_000
const STOP_LENGTH_MAX = 64
const STOPS_MAX = 4

const stop = Schema.String.check(
  Schema.isBetweenLength(1, STOP_LENGTH_MAX, { message: `must have 1 to ${STOP_LENGTH_MAX} characters` })
)

/** Members that are taken because libraries send them, and that change nothing. */
const ignored = maybe(JsonOut.annotate({ description: "Has no effect here" }))

/** A member of which only this value can be kept. */
const only = <const Value extends string | number | boolean>(...values: ReadonlyArray<Value>) =>
  maybe(Schema.Literals(values).annotate({ description: "No other value is taken" }))

const shared = {
  model: Schema.String.annotate({ description: "`provider/model`, as an agent's `model`" }).check(
    Schema.isBetweenLength(1, MODEL_LENGTH_MAX, { message: `must have 1 to ${MODEL_LENGTH_MAX} characters` })
  ),
  temperature: number("As an agent's", 0, 2),
  top_p: number("As an agent's", 0, 1),
  parallel_tool_calls: maybe(Schema.Boolean.annotate({ description: "As an agent's" })),
  tools: maybe(JsonOut.annotate({ description: "Up to 128 tools of type `function`" })),
  tool_choice: maybe(JsonOut.annotate({ description: "`auto`, `none`, `required` or a function" })),
  stream: maybe(Schema.Boolean.annotate({ description: "Whether the answer comes as a stream of events" })),
  provider_options: maybe(JsonOut.annotate({ description: "Options that one provider has, as an agent's" })),
  store: ignored,
  user: ignored,
  metadata: ignored,
  safety_identifier: ignored,
  prompt_cache_key: ignored,
  service_tier: only("auto", "default")
} as const

const effort = Schema.Literals(REASONING_EFFORTS)

/** The body of a chat completion. */
export const ChatCompletionRequest = Schema.Struct({
  ...shared,
  messages: JsonOut.annotate({
    description: "Up to 2,000 messages of the roles system, developer, user, assistant and tool"
  }),
  max_completion_tokens: whole("Most tokens of the answer, reasoning included", 1, OUTPUT_TOKENS_MAX),
  max_tokens: whole("The same by its older name", 1, OUTPUT_TOKENS_MAX),
  stop: maybe(
    Schema.Union([
      stop,
      Schema.Array(stop).check(Schema.isMaxLength(STOPS_MAX, { message: `must have at most ${STOPS_MAX} texts` }))
    ]).annotate({ description: "Texts at which the answer ends" })
  ),
  seed: whole("As an agent's", 0, 2_147_483_647),
  reasoning_effort: maybe(effort.annotate({ description: "As an agent's" })),
  response_format: maybe(JsonOut.annotate({ description: "Of type `text` or `json_schema`" })),
  stream_options: maybe(
    Schema.Struct({ include_usage: maybe(Schema.Boolean), include_obfuscation: ignored }).annotate({
      description: "Whether a stream ends with the usage"
    })
  ),
  n: only(1),
  logprobs: only(false),
  presence_penalty: only(0),
  frequency_penalty: only(0)
}).annotate({
  identifier: "NewChatCompletion",
  description: "A chat completion in the shape of OpenAI's interface",
  examples: [{ model: "openai/gpt-5", messages: [{ role: "user", content: "Hello" }] }]
})

/** The body of a response. */
export const ResponseRequest = Schema.Struct({
  ...shared,
  input: JsonOut.annotate({
    description:
      "A text, or up to 2,000 items of the types message, function_call, function_call_output and reasoning, the last of which have no effect"
  }),
  instructions: maybe(Schema.String.annotate({ description: "The model's system instructions" })),
  max_output_tokens: whole("Most tokens of the answer, reasoning included", 1, OUTPUT_TOKENS_MAX),
  reasoning: maybe(
    Schema.Struct({ effort: maybe(effort), summary: ignored, generate_summary: ignored }).annotate({
      description: "How much the model may reason"
    })
  ),
  text: maybe(JsonOut.annotate({ description: "A `format` of type `text` or `json_schema`" })),
  include: ignored,
  stream_options: ignored,
  truncation: only("disabled"),
  background: only(false),
  // Nothing is kept that a later request could name.
  previous_response_id: Schema.optionalKey(Schema.Null.annotate({ description: "No other value is taken" })),
  conversation: Schema.optionalKey(Schema.Null.annotate({ description: "No other value is taken" }))
}).annotate({
  identifier: "NewResponse",
  description: "A response in the shape of OpenAI's interface",
  examples: [{ model: "openai/gpt-5", input: "Hello" }]
})

const answer = (identifier: string, description: string, example: Schema.JsonObject) =>
  Schema.Record(Schema.String, JsonOut).annotate({ identifier, description, examples: [example] })

/** The answer of a chat completion, and that of a response. */
export const ChatCompletion = answer("ChatCompletion", "The answer in the shape of OpenAI's chat completions", {
  id: "chatcmpl-01a1fd57-3a26-72b7-b5ca-21fceb964208",
  object: "chat.completion",
  created: 1_795_238_400,
  model: "openai/gpt-5",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
})
export const GatewayResponse = answer("GatewayResponse", "The answer in the shape of OpenAI's responses", {
  id: "resp_01a1fd57-3a26-72b7-b5ca-21fceb964208",
  object: "response",
  created_at: 1_795_238_400,
  model: "openai/gpt-5",
  status: "completed",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello", annotations: [] }] }],
  usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12 }
})

/** The formats of answers. */
export const GATEWAY_FORMATS = ["application/json", "text/event-stream"] as const
