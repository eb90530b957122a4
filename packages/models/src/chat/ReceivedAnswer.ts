/** The answer of a model as its stream is received. */
import { readJson } from "@agent-platform/kernel"
import { storableText } from "@agent-platform/runs"
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4Warning
} from "@ai-sdk/provider"
import { Predicate, type Schema, String as Text } from "effect"
import { dialectOf, type ModelName } from "./ModelName.ts"
import { bytesOf, type CountedUsage, countedUsage } from "./tokens.ts"
import { type Unfit, unfitOfEvent } from "./unfit.ts"
import { makeUsageSoFar } from "./usageSoFar.ts"

type Metadata = SharedV4ProviderMetadata | undefined

/** A piece of what a model said, as the next request repeats it to its provider. */
export type SaidPart = (
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input: Schema.Json }
) & { readonly providerOptions?: SharedV4ProviderMetadata }

/** A text that still grows. */
interface Growing {
  readonly type: "text" | "reasoning"
  text: string
  metadata: Metadata
}

/** Most tools that one answer may call for: the conversation is saved after each. */
export const CALLS_MAX = 128

/** The member that holds arguments as text where they are no JSON object, or have numbers that reading would change. */
export const UNREADABLE = "unreadable_arguments"

/** The arguments of a tool call. Unreadable ones are kept as text, so that the model is shown what it wrote. */
const readInput = (text: string): Schema.Json => {
  if (text.trim() === "") return {}
  const { changed, value } = readJson(text)
  return Predicate.isObject(value) && changed === undefined ? (value as Schema.JsonObject) : { [UNREADABLE]: text }
}

const withMetadata = (metadata: Metadata) => (metadata === undefined ? {} : { providerOptions: metadata })

/** Most warnings that are kept. */
const WARNINGS_MAX = 10

const wordsOf = (warning: SharedV4Warning): string => {
  if (warning.type === "other" || warning.type === "deprecated") return warning.message
  const feature = Text.camelToSnake(warning.feature)
  return warning.details ?? `${feature} is not supported`
}

/** Longest name of a model that is kept, in characters. */
const MODEL_LENGTH_MAX = 200

/** The answer of a provider as far as its stream was received. */
export type ReceivedAnswer = ReturnType<typeof makeReceivedAnswer>

/** Collects the stream of a model, part by part. */
export const makeReceivedAnswer = (name: ModelName) => {
  const dialect = dialectOf(name)
  const parts: Array<Growing | SaidPart> = []
  const growing = new Map<string, Growing>()
  const callIds = new Set<string>()
  let finish: { readonly reason: LanguageModelV4FinishReason; readonly usage: CountedUsage | undefined } | undefined
  let responseModel: string | null = null
  let warnings: ReadonlyArray<string> = []
  let isBroken = false
  let unfit: Unfit | undefined
  let begunCalls = 0
  const streamedCalls = new Set<string>()
  let bytes = 0
  const usageSoFar = makeUsageSoFar(dialect)

  // Some providers give all calls of an answer one id, or none. Each gets its own, to tell their results apart.
  const idOf = (wished: string): string => {
    let id = wished === "" ? "call" : wished
    for (let copy = parts.length; callIds.has(id); copy++) id = `${wished}_${copy}`
    callIds.add(id)
    return id
  }

  const grow = (type: Growing["type"], id: string, delta: string, metadata: Metadata) => {
    const key = `${type}/${id}`
    let one = growing.get(key)
    if (one === undefined) {
      one = { type, text: "", metadata: undefined }
      growing.set(key, one)
      parts.push(one)
    }
    one.text += delta
    bytes += bytesOf(delta)
    if (metadata !== undefined) one.metadata = metadata
  }

  return {
    take: (part: LanguageModelV4StreamPart) => {
      switch (part.type) {
        case "stream-start":
          warnings = part.warnings.slice(0, WARNINGS_MAX).map((warning) => `${name.provider}: ${wordsOf(warning)}`)
          return
        case "text-start":
        case "text-end":
          return grow("text", part.id, "", part.providerMetadata)
        case "text-delta":
          return grow("text", part.id, part.delta, part.providerMetadata)
        case "reasoning-start":
        case "reasoning-end":
          return grow("reasoning", part.id, "", part.providerMetadata)
        case "reasoning-delta":
          return grow("reasoning", part.id, part.delta, part.providerMetadata)
        case "tool-input-start":
          begunCalls += 1
          return
        case "tool-input-delta":
          streamedCalls.add(part.id)
          bytes += bytesOf(part.delta)
          return
        case "tool-call":
          // Where its arguments came in pieces, they are counted already.
          if (!streamedCalls.has(part.toolCallId)) bytes += bytesOf(part.input)
          parts.push({
            type: "tool-call",
            toolCallId: idOf(part.toolCallId),
            toolName: part.toolName,
            input: readInput(part.input),
            ...withMetadata(part.providerMetadata)
          })
          return
        case "response-metadata":
          responseModel =
            part.modelId === undefined ? responseModel : storableText(part.modelId.slice(0, MODEL_LENGTH_MAX))
          return
        case "raw":
          usageSoFar.take(part.rawValue)
          unfit ??= unfitOfEvent(part.rawValue)
          return
        case "finish":
          finish = { reason: part.finishReason, usage: countedUsage(dialect, part.usage) }
          return
        case "error":
          isBroken = true
          return
        default:
          return
      }
    },
    content: (): ReadonlyArray<SaidPart> =>
      parts.flatMap((part): ReadonlyArray<SaidPart> => {
        if (part.type === "tool-call") return [part]
        const metadata = "metadata" in part ? part.metadata : undefined
        return part.text === "" && metadata === undefined
          ? []
          : [{ type: part.type, text: part.text, ...withMetadata(metadata) }]
      }),
    /** Whether the answer calls for more than CALLS_MAX tools: the work of a provider's SDK grows with the square of their number. */
    hasTooManyCalls: () => Math.max(begunCalls, callIds.size) > CALLS_MAX,
    finish: () => finish,
    /** How much of the answer has arrived: text, reasoning and arguments, in bytes. */
    bytes: () => bytes,
    /** The input tokens that the provider has counted so far; undefined where it counts at the end only. */
    inputTokens: usageSoFar.inputTokens,
    /** The provider's count of the whole answer, which it may have given before its stream broke off; undefined until then. */
    counted: usageSoFar.counted,
    responseModel: () => responseModel,
    /** The warnings of the provider's SDK about settings that it does not pass on as they are. */
    warnings: () => warnings,
    /** Whether the provider said in the stream that it failed. */
    isBroken: () => isBroken,
    /** Why the provider failed, where other messages can help. */
    unfit: () => (isBroken ? unfit : undefined)
  }
}

/** The text of an answer: what it says, or what the model thought before it. */
export const textOf = (content: ReadonlyArray<SaidPart>, type: "text" | "reasoning" = "text"): string =>
  content.flatMap((part) => (part.type === type ? [part.text] : [])).join("")
