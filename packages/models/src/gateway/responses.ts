/** The bodies and answers of OpenAI's Responses API. */
import type { ModelSettings } from "@agent-platform/runs"
import type { Schema } from "effect"
import { textOf } from "../chat/ReceivedAnswer.ts"
import { givenOnly } from "./chatCompletions.ts"
import type { GatewayAnswer } from "./Gateway.ts"
import {
  demandSmall,
  demandSupported,
  type GatewayCall,
  modelOf,
  optionsOf,
  outputSchemaOf,
  TOOLS_KIB_MAX,
  TOOLS_MAX,
  toolOf
} from "./GatewayCall.ts"
import { argumentsText } from "./parts.ts"
import { listAt, maybeAt, membersAt, textAt, unfit } from "./reading.ts"
import { inputPromptOf } from "./responseItems.ts"

type Maybe<A> = A | null | undefined
type Effort = NonNullable<ModelSettings["reasoningEffort"]>

/** The members of a body that are read. Those that hold further ones are looked into here. */
export interface ResponseBody {
  readonly model: string
  readonly input: unknown
  readonly instructions?: Maybe<string>
  readonly temperature?: Maybe<number>
  readonly top_p?: Maybe<number>
  readonly max_output_tokens?: Maybe<number>
  readonly parallel_tool_calls?: Maybe<boolean>
  readonly reasoning?: Maybe<{ readonly effort?: Maybe<Effort> }>
  readonly text?: Schema.Json | undefined
  readonly tools?: Schema.Json | undefined
  readonly tool_choice?: Schema.Json | undefined
  readonly provider_options?: unknown
}

/** The member of the body for each setting. */
const MEMBERS = {
  temperature: "temperature",
  topP: "top_p",
  maxOutputTokens: "max_output_tokens",
  reasoningEffort: "reasoning/effort",
  parallelToolCalls: "parallel_tool_calls",
  outputSchema: "text/format",
  providerOptions: "provider_options"
}

const choiceOf = (given: unknown, at: string): ModelSettings["toolChoice"] => {
  if (given === "auto" || given === "none" || given === "required") return given
  const { name, type } = membersAt(given, at)
  if (type !== "function") unfit(`${at}/type`, "must be function")
  return { name: textAt(name, `${at}/name`) }
}

const schemaOf = (given: unknown, at: string): ModelSettings["outputSchema"] => {
  const { format } = membersAt(given, at)
  if (format === undefined || format === null) return undefined
  const { schema, type } = membersAt(format, `${at}/format`)
  if (type === "text") return undefined
  if (type !== "json_schema") return unfit(`${at}/format/type`, "must be text or json_schema")
  return outputSchemaOf(schema, `${at}/format/schema`)
}

const settingsOf = (body: ResponseBody): ModelSettings =>
  givenOnly({
    temperature: body.temperature,
    topP: body.top_p,
    maxOutputTokens: body.max_output_tokens,
    reasoningEffort: body.reasoning?.effort,
    parallelToolCalls: body.parallel_tool_calls,
    toolChoice: maybeAt(choiceOf, body.tool_choice, "/tool_choice"),
    outputSchema: maybeAt(schemaOf, body.text, "/text"),
    providerOptions: maybeAt(optionsOf, body.provider_options, "/provider_options")
  }) as ModelSettings

const toolsOf = (given: unknown, at: string) => {
  demandSmall(given, at, TOOLS_KIB_MAX)
  return listAt(given, at, TOOLS_MAX).map((tool, place) => {
    if (membersAt(tool, `${at}/${place}`)["type"] !== "function") unfit(`${at}/${place}/type`, "must be function")
    return toolOf(tool, `${at}/${place}`)
  })
}

/** The call that a body asks for. Ends the reading where it cannot be made. */
export const responseCallOf = (body: ResponseBody): GatewayCall => {
  const name = modelOf(body.model)
  const settings = settingsOf(body)
  demandSupported(name, settings, MEMBERS)
  return {
    name,
    model: body.model,
    prompt: inputPromptOf(body.instructions, body.input, name.provider),
    tools: maybeAt(toolsOf, body.tools, "/tools") ?? [],
    settings
  }
}

/** The items of an answer, by kind: at most one reasoning, and at most one message. Their ids are made of the call's. */
export const itemsOf = (answer: GatewayAnswer) => {
  const { content, requestId } = answer
  const thought = textOf(content, "reasoning")
  const words = textOf(content)
  const calls = content.flatMap((part) => (part.type === "tool-call" ? [part] : []))
  const reasoning =
    thought === ""
      ? []
      : [
          {
            type: "reasoning" as const,
            id: `rs_${requestId}`,
            summary: [{ type: "summary_text" as const, text: thought }]
          }
        ]
  const message =
    words === "" && calls.length > 0
      ? []
      : [
          {
            type: "message" as const,
            id: `msg_${requestId}`,
            role: "assistant" as const,
            status: answer.finishReason === "length" ? ("incomplete" as const) : ("completed" as const),
            content: [{ type: "output_text" as const, text: words, annotations: [], logprobs: [] }]
          }
        ]
  const toolCalls = calls.map(({ input, toolCallId, toolName }, place) => ({
    type: "function_call" as const,
    id: `fc_${place}_${requestId}`,
    call_id: toolCallId,
    name: toolName,
    arguments: argumentsText(input),
    status: "completed" as const
  }))
  return { reasoning, message, toolCalls, all: [...reasoning, ...message, ...toolCalls] }
}

/** A call of a tool, as an item of an answer. */
export type FunctionCallItem = ReturnType<typeof itemsOf>["toolCalls"][number]

const INCOMPLETE_REASONS: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter"
}

const usageOf = ({ usage }: GatewayAnswer) =>
  usage === undefined
    ? null
    : {
        input_tokens: usage.inputTokens,
        input_tokens_details: { cached_tokens: usage.cacheReadTokens },
        output_tokens: usage.outputTokens,
        output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
        total_tokens: usage.inputTokens + usage.outputTokens
      }

/** The members that a response has whatever becomes of it. `created` is in whole seconds since 1970. */
export const responseHead = (requestId: string, body: ResponseBody, created: number) => ({
  id: `resp_${requestId}`,
  object: "response" as const,
  created_at: created,
  error: null,
  incomplete_details: null,
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  metadata: {},
  model: body.model,
  output: [],
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  previous_response_id: null,
  reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
  store: false as const,
  temperature: body.temperature ?? null,
  text: body.text ?? { format: { type: "text" } },
  tool_choice: body.tool_choice ?? "auto",
  tools: body.tools ?? [],
  top_p: body.top_p ?? null,
  truncation: "disabled" as const,
  usage: null
})

/** The answer as one object. */
export const responseOf = (answer: GatewayAnswer, body: ResponseBody, created: number) => {
  const reason = INCOMPLETE_REASONS[answer.finishReason]
  return {
    ...responseHead(answer.requestId, body, created),
    status: reason === undefined ? ("completed" as const) : ("incomplete" as const),
    incomplete_details: reason === undefined ? null : { reason },
    output: itemsOf(answer).all,
    usage: usageOf(answer)
  }
}
