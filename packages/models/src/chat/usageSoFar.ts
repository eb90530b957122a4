/** A provider's count of an answer, as far as the events of its stream have said it. */
import { type UsageDialect, usageOfAnswer } from "@agent-platform/billing"
import type { CountedUsage } from "./tokens.ts"

interface Event {
  readonly type?: unknown
  readonly delta?: { readonly stop_reason?: unknown } | null
  readonly candidates?: ReadonlyArray<{ readonly finishReason?: unknown } | null> | null
  readonly choices?: ReadonlyArray<{ readonly finish_reason?: unknown } | null> | null
  readonly metadata?: unknown
}

const OVER: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete", "response.failed"])

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

/** Whether an event says that the model is done. What it counts from then on is the whole of the call. */
const ENDS: Readonly<Record<UsageDialect, (event: Event) => boolean>> = {
  openai: ({ type }) => OVER.has(type),
  anthropic: ({ delta, type }) => type === "message_delta" && isText(delta?.stop_reason),
  google: ({ candidates }) => isText(candidates?.[0]?.finishReason),
  bedrock: ({ metadata }) => metadata !== undefined,
  openai_compatible: ({ choices }) => isText(choices?.[0]?.finish_reason)
}

const isEvent = (value: unknown): value is Event => typeof value === "object" && value !== null

/** Follows the counts in the events of one answer. */
export const makeUsageSoFar = (dialect: UsageDialect) => {
  const hasEnded = ENDS[dialect]
  /** The first event that counts: Anthropic's says the input, which its last one may not repeat. */
  let first: unknown
  let inputTokens: number | undefined
  let counted: CountedUsage | undefined
  let isOver = false
  return {
    take: (event: unknown) => {
      if (!isEvent(event)) return
      isOver ||= hasEnded(event)
      const usage = usageOfAnswer(dialect, first === undefined ? event : [first, event])
      if (usage === undefined || usageOfAnswer(dialect, event) === undefined) return
      first ??= event
      inputTokens = usage.inputTokens || inputTokens
      // A count that could not be read is zero, so zero is never taken for the count of an answer.
      if (isOver && usage.inputTokens > 0 && usage.outputTokens > 0) counted = usage
    },
    /** The input tokens that it has counted so far; undefined where it counts at the end only. */
    inputTokens: () => inputTokens,
    /** Its count of the whole answer; undefined before it has said so. */
    counted: () => counted
  }
}
