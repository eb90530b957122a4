/** The gateway's bodies: the members of OpenAI's interfaces that are read, and those that mean nothing here. */
import { REASONING_EFFORTS } from "@agent-platform/runs"
import { Schema } from "effect"
import { integer, JsonOut, maybe } from "./formats.ts"

const number = (description: string, minimum: number, maximum: number) =>
  maybe(
    Schema.Finite.annotate({ description }).check(
      Schema.isBetween({ minimum, maximum }, { message: `must be a number from ${minimum} to ${maximum}` })
    )
  )

const whole = (description: string, minimum: number, maximum: number) => maybe(integer(description, minimum, maximum))

const MODEL_LENGTH_MAX = 200
const OUTPUT_TOKENS_MAX = 128_000
const STOP_LENGTH_MAX = 64
const STOPS_MAX = 4

const stop = Schema.String.check(
  Schema.isBetweenLength(1, STOP_LENGTH_MAX, { message: `must have 1 to ${STOP_LENGTH_MAX} characters` })
)

/** Members that are taken because libraries send them, and that change nothing. */
const ignored = maybe(JsonOut.annotate({ description: "Has no effect here" }))

/** A member that is taken with one of these values alone. */
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

const described = (description: string) => ({ description })

const usageCount = (description: string) => Schema.Int.annotate(described(description))

const chatCall = Schema.Struct({
  id: Schema.String.annotate(described("The call's id")),
  type: Schema.Literal("function").annotate(described("The kind of call")),
  function: Schema.Struct({
    name: Schema.String.annotate(described("The tool's name")),
    arguments: Schema.String.annotate(described("Its arguments, as JSON"))
  }).annotate(described("The tool that is called"))
}).annotate(described("A call of a tool"))

const chatUsage = Schema.Struct({
  prompt_tokens: usageCount("Tokens read"),
  completion_tokens: usageCount("Tokens written, reasoning included"),
  total_tokens: usageCount("Both together"),
  prompt_tokens_details: Schema.Struct({ cached_tokens: usageCount("Of those read, from a cache") }),
  completion_tokens_details: Schema.Struct({ reasoning_tokens: usageCount("Of those written, reasoning") })
}).annotate(described("The tokens, where the provider counted them"))

const finish = Schema.Literals(["stop", "length", "tool_calls", "content_filter"])

const chatHead = <const Kind extends string>(object: Kind) => ({
  id: Schema.String.annotate(described("`chatcmpl-` and the request's id, as in the run's costs")),
  object: Schema.Literal(object).annotate(described("The kind of object")),
  created: Schema.Int.annotate(described("When it began, in seconds since 1970")),
  model: Schema.String.annotate(described("The model that was asked for"))
})

/** The answer of a chat completion. */
export const ChatCompletion = Schema.Struct({
  ...chatHead("chat.completion"),
  choices: Schema.Array(
    Schema.Struct({
      index: Schema.Int.annotate(described("0")),
      message: Schema.Struct({
        role: Schema.Literal("assistant").annotate(described("The model's")),
        content: Schema.NullOr(Schema.String).annotate(described("Its words; null where it only calls tools")),
        refusal: Schema.Null.annotate(described("Always null")),
        reasoning_content: Schema.optionalKey(Schema.String).annotate(described("Its reasoning, where it is shown")),
        tool_calls: Schema.optionalKey(Schema.Array(chatCall)).annotate(described("The calls of tools"))
      }).annotate(described("The answer")),
      logprobs: Schema.Null.annotate(described("Always null")),
      finish_reason: finish.annotate(described("Why it ended"))
    })
  ).annotate(described("One answer")),
  usage: Schema.optionalKey(chatUsage)
}).annotate({
  identifier: "ChatCompletion",
  description: "The answer in the shape of OpenAI's chat completions",
  examples: [
    {
      id: "chatcmpl-01a1fd57-3a26-72b7-b5ca-21fceb964208",
      object: "chat.completion",
      created: 1_795_238_400,
      model: "openai/gpt-5",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hello", refusal: null },
          logprobs: null,
          finish_reason: "stop"
        }
      ],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 3,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 }
      }
    }
  ]
})

/** A chunk of a streamed chat completion: in the document alone. */
export const ChatCompletionChunk = Schema.Struct({
  ...chatHead("chat.completion.chunk"),
  choices: Schema.Array(
    Schema.Struct({
      index: Schema.Int.annotate(described("0")),
      delta: Schema.Struct({
        role: Schema.optionalKey(Schema.Literal("assistant")).annotate(described("In the first chunk")),
        content: Schema.optionalKey(Schema.String).annotate(described("The next words")),
        reasoning_content: Schema.optionalKey(Schema.String).annotate(described("The next piece of its reasoning")),
        tool_calls: Schema.optionalKey(
          Schema.Array(
            Schema.Struct({ index: Schema.Int.annotate(described("Its place among the calls")), ...chatCall.fields })
          )
        ).annotate(described("A call of a tool, whole"))
      }).annotate(described("What has been added")),
      logprobs: Schema.Null.annotate(described("Always null")),
      finish_reason: Schema.NullOr(finish).annotate(described("Why it ended; null before the end"))
    })
  ).annotate(described("One piece; none beside the usage")),
  usage: Schema.optionalKey(Schema.NullOr(chatUsage)).annotate(described("With `include_usage`, in the last chunk"))
}).annotate({
  description: "A chunk of an answer in the shape of OpenAI's chat completions"
})

const anObject = Schema.Record(Schema.String, JsonOut)

const itemHead = <const Type extends string>(type: Type) => ({
  type: Schema.Literal(type).annotate(described("The kind of item")),
  id: Schema.String.annotate(described("The item's id"))
})

const outputItem = Schema.Union([
  Schema.Struct({
    ...itemHead("reasoning"),
    summary: Schema.Array(
      Schema.Struct({
        type: Schema.Literal("summary_text").annotate(described("The kind of part")),
        text: Schema.String.annotate(described("The words"))
      })
    ).annotate(described("What it thought, as far as it is shown"))
  }).annotate({ identifier: "GatewayReasoning", description: "What the model thought" }),
  Schema.Struct({
    ...itemHead("message"),
    role: Schema.Literal("assistant").annotate(described("The model's")),
    status: Schema.Literals(["completed", "incomplete"]).annotate(described("Whether it ended by itself")),
    content: Schema.Array(
      Schema.Struct({
        type: Schema.Literal("output_text").annotate(described("The kind of part")),
        text: Schema.String.annotate(described("The words")),
        annotations: Schema.Array(anObject).annotate(described("Always empty")),
        logprobs: Schema.Array(anObject).annotate(described("Always empty"))
      })
    ).annotate(described("Its words"))
  }).annotate({ identifier: "GatewayMessage", description: "What the model said" }),
  Schema.Struct({
    ...itemHead("function_call"),
    call_id: Schema.String.annotate(described("The call's id")),
    name: Schema.String.annotate(described("The tool's name")),
    arguments: Schema.String.annotate(described("Its arguments, as JSON")),
    status: Schema.Literal("completed").annotate(described("Always so"))
  }).annotate({ identifier: "GatewayFunctionCall", description: "A call of a tool" })
])

/** The answer of a response. */
export const GatewayResponse = Schema.Struct({
  id: Schema.String.annotate(described("`resp_` and the request's id, as in the run's costs")),
  object: Schema.Literal("response").annotate(described("The kind of object")),
  created_at: Schema.Int.annotate(described("When it began, in seconds since 1970")),
  status: Schema.Literals(["completed", "incomplete"]).annotate(described("Whether it ended by itself")),
  error: Schema.Null.annotate(described("Always null")),
  incomplete_details: Schema.NullOr(
    Schema.Struct({ reason: Schema.String.annotate(described("`max_output_tokens` or `content_filter`")) })
  ).annotate(described("Why it is incomplete; null where it is not")),
  instructions: Schema.NullOr(Schema.String).annotate(described("As they were sent")),
  max_output_tokens: Schema.NullOr(Schema.Int).annotate(described("As it was sent")),
  metadata: Schema.Record(Schema.String, JsonOut).annotate(described("Always empty")),
  model: Schema.String.annotate(described("The model that was asked for")),
  output: Schema.Array(outputItem).annotate(described("What the model thought and said, and its calls of tools")),
  parallel_tool_calls: Schema.Boolean.annotate(described("As it was sent, or true")),
  previous_response_id: Schema.Null.annotate(described("Always null: nothing is kept")),
  reasoning: Schema.Struct({
    effort: Schema.NullOr(effort).annotate(described("As it was sent")),
    summary: Schema.Null.annotate(described("Always null"))
  }).annotate(described("How much it may reason")),
  store: Schema.Literal(false).annotate(described("Nothing is kept")),
  temperature: Schema.NullOr(Schema.Finite).annotate(described("As it was sent")),
  text: JsonOut.annotate(described('As it was sent, or `{"format": {"type": "text"}}`')),
  tool_choice: JsonOut.annotate(described("As it was sent, or `auto`")),
  tools: JsonOut.annotate(described("As they were sent, or none")),
  top_p: Schema.NullOr(Schema.Finite).annotate(described("As it was sent")),
  truncation: Schema.Literal("disabled").annotate(described("Always so")),
  usage: Schema.NullOr(
    Schema.Struct({
      input_tokens: usageCount("Tokens read"),
      input_tokens_details: Schema.Struct({ cached_tokens: usageCount("Of those read, from a cache") }),
      output_tokens: usageCount("Tokens written, reasoning included"),
      output_tokens_details: Schema.Struct({ reasoning_tokens: usageCount("Of those written, reasoning") }),
      total_tokens: usageCount("Both together")
    })
  ).annotate(described("The tokens; null where the provider did not count them"))
}).annotate({
  identifier: "GatewayResponse",
  description: "The answer in the shape of OpenAI's responses",
  examples: [
    {
      id: "resp_01a1fd57-3a26-72b7-b5ca-21fceb964208",
      object: "response",
      created_at: 1_795_238_400,
      status: "completed",
      error: null,
      incomplete_details: null,
      instructions: null,
      max_output_tokens: null,
      metadata: {},
      model: "openai/gpt-5",
      output: [
        {
          type: "message",
          id: "msg_01a1fd57-3a26-72b7-b5ca-21fceb964208",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Hello", annotations: [], logprobs: [] }]
        }
      ],
      parallel_tool_calls: true,
      previous_response_id: null,
      reasoning: { effort: null, summary: null },
      store: false,
      temperature: null,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_p: null,
      truncation: "disabled",
      usage: {
        input_tokens: 9,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 12
      }
    }
  ]
})

/** An event of a streamed response: in the document alone. Each type has further members, as OpenAI's libraries read them. */
export const GatewayResponseEvent = Schema.Struct({
  type: Schema.String.annotate(described("The event's type, such as `response.output_text.delta`")),
  sequence_number: Schema.Int.annotate(described("Its place in the stream, from 0"))
}).annotate({ description: "An event of an answer in the shape of OpenAI's responses" })

/** The formats of answers. */
export const GATEWAY_FORMATS = ["application/json", "text/event-stream"] as const
