/** The shape of OpenAI's chat completions. */
import type { ModelSettings } from "@agent-platform/runs"
import { textOf } from "../chat/ReceivedAnswer.ts"
import { promptOf } from "./chatMessages.ts"
import type { GatewayAnswer, GatewayDelta } from "./Gateway.ts"
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

type Maybe<A> = A | null | undefined

/** The members of a body that are read. Those that hold further ones are looked into here. */
export interface ChatBody {
  readonly model: string
  readonly messages: unknown
  readonly temperature?: Maybe<number>
  readonly top_p?: Maybe<number>
  readonly max_tokens?: Maybe<number>
  readonly max_completion_tokens?: Maybe<number>
  readonly stop?: Maybe<string | ReadonlyArray<string>>
  readonly seed?: Maybe<number>
  readonly reasoning_effort?: Maybe<NonNullable<ModelSettings["reasoningEffort"]>>
  readonly parallel_tool_calls?: Maybe<boolean>
  readonly tools?: unknown
  readonly tool_choice?: unknown
  readonly response_format?: unknown
  readonly provider_options?: unknown
}

/** The member of the body for each setting. */
const MEMBERS = {
  temperature: "temperature",
  topP: "top_p",
  maxOutputTokens: "max_completion_tokens",
  stop: "stop",
  seed: "seed",
  reasoningEffort: "reasoning_effort",
  parallelToolCalls: "parallel_tool_calls",
  outputSchema: "response_format",
  providerOptions: "provider_options"
}

const choiceOf = (given: unknown, at: string): ModelSettings["toolChoice"] => {
  if (given === "auto" || given === "none" || given === "required") return given
  const { function: named, type } = membersAt(given, at)
  if (type !== "function") unfit(`${at}/type`, "must be function")
  return { name: textAt(membersAt(named, `${at}/function`)["name"], `${at}/function/name`) }
}

const formatOf = (given: unknown, at: string): ModelSettings["outputSchema"] => {
  const { json_schema, type } = membersAt(given, at)
  if (type === "text") return undefined
  if (type !== "json_schema") return unfit(`${at}/type`, "must be text or json_schema")
  return outputSchemaOf(membersAt(json_schema, `${at}/json_schema`)["schema"], `${at}/json_schema/schema`)
}

/** The members that are given, without those that are null or missing. */
export const givenOnly = <A extends object>(members: A): { [K in keyof A]?: NonNullable<A[K]> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null)) as {
    [K in keyof A]?: NonNullable<A[K]>
  }

const settingsOf = (body: ChatBody): ModelSettings => {
  const { stop } = body
  return givenOnly({
    temperature: body.temperature,
    topP: body.top_p,
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens,
    stop: typeof stop === "string" ? [stop] : stop,
    seed: body.seed,
    reasoningEffort: body.reasoning_effort,
    parallelToolCalls: body.parallel_tool_calls,
    toolChoice: maybeAt(choiceOf, body.tool_choice, "/tool_choice"),
    outputSchema: maybeAt(formatOf, body.response_format, "/response_format"),
    providerOptions: maybeAt(optionsOf, body.provider_options, "/provider_options")
  }) as ModelSettings
}

const toolsOf = (given: unknown, at: string) => {
  demandSmall(given, at, TOOLS_KIB_MAX)
  return listAt(given, at, TOOLS_MAX).map((tool, place) => {
    const { function: described, type } = membersAt(tool, `${at}/${place}`)
    if (type !== "function") unfit(`${at}/${place}/type`, "must be function")
    return toolOf(described, `${at}/${place}/function`)
  })
}

/** The call that a body asks for. Ends the reading where it cannot be made. */
export const chatCallOf = (body: ChatBody): GatewayCall => {
  const name = modelOf(body.model)
  const settings = settingsOf(body)
  demandSupported(name, settings, MEMBERS)
  return {
    name,
    model: body.model,
    prompt: promptOf(body.messages, name.provider),
    tools: maybeAt(toolsOf, body.tools, "/tools") ?? [],
    settings
  }
}

/** Chat completions have no word for other reasons. */
const finishOf = ({ finishReason }: GatewayAnswer) => (finishReason === "other" ? "stop" : finishReason)

const usageOf = ({ usage }: GatewayAnswer) =>
  usage === undefined
    ? undefined
    : {
        prompt_tokens: usage.inputTokens,
        completion_tokens: usage.outputTokens,
        total_tokens: usage.inputTokens + usage.outputTokens,
        prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
        completion_tokens_details: { reasoning_tokens: usage.reasoningTokens }
      }

const callsIn = ({ content }: GatewayAnswer) =>
  content.flatMap((part) =>
    part.type === "tool-call"
      ? [
          {
            id: part.toolCallId,
            type: "function" as const,
            function: { name: part.toolName, arguments: argumentsText(part.input) }
          }
        ]
      : []
  )

interface Head {
  readonly model: string
  /** In whole seconds since 1970. */
  readonly created: number
}

/** The answer as one object. */
export const chatCompletion = (answer: GatewayAnswer, { created, model }: Head) => {
  const calls = callsIn(answer)
  const words = textOf(answer.content)
  const reasoning = textOf(answer.content, "reasoning")
  const usage = usageOf(answer)
  return {
    id: `chatcmpl-${answer.requestId}`,
    object: "chat.completion" as const,
    created,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant" as const,
          content: words === "" && calls.length > 0 ? null : words,
          refusal: null,
          ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls })
        },
        logprobs: null,
        finish_reason: finishOf(answer)
      }
    ],
    ...(usage === undefined ? {} : { usage })
  }
}

const frame = (data: unknown): string => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

/**
 * The answer as a stream of chunks, called in this order: `delta` for each piece as it comes, if any, then once `end` with the whole
 * answer, or `failure` where it broke off.
 */
export const makeChatChunks = ({ created, model }: Head, includesUsage: boolean) => {
  let hasBegun = false
  const chunk = (requestId: string, rest: object) =>
    frame({ id: `chatcmpl-${requestId}`, object: "chat.completion.chunk", created, model, ...rest })
  const choice = (requestId: string, delta: object, finish_reason: string | null = null) =>
    chunk(requestId, {
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(includesUsage ? { usage: null } : {})
    })
  const beginning = (requestId: string): string => {
    if (hasBegun) return ""
    hasBegun = true
    return choice(requestId, { role: "assistant", content: "" })
  }
  return {
    delta: ({ kind, requestId, text }: GatewayDelta): string =>
      beginning(requestId) + choice(requestId, kind === "text" ? { content: text } : { reasoning_content: text }),
    end: (answer: GatewayAnswer): string => {
      const { requestId } = answer
      const calls = callsIn(answer).map((call, index) => choice(requestId, { tool_calls: [{ index, ...call }] }))
      const usage = includesUsage ? chunk(requestId, { choices: [], usage: usageOf(answer) ?? null }) : ""
      const finish = choice(requestId, {}, finishOf(answer))
      return [beginning(requestId), ...calls, finish, usage, frame("[DONE]")].join("")
    },
    failure: (error: object): string => frame({ error }) + frame("[DONE]")
  }
}
