/** The outcome of one request to a model, as pure functions of what was seen of it. */
import { NESTING_MAX } from "@agent-platform/kernel"
import type { Provider } from "@agent-platform/keys"
import type { FinishReason } from "@agent-platform/runs"
import type { LanguageModelV4FinishReason } from "@ai-sdk/provider"
import type { Redacted } from "effect"
import { EVENT_BYTES_MAX } from "./callOptions.ts"
import type { OneRequest } from "./oneRequest.ts"
import { CALLS_MAX, type ReceivedAnswer, type SaidPart } from "./ReceivedAnswer.ts"
import type { StreamBroken } from "./readStream.ts"
import { type Refusal, refusalOf } from "./refusals.ts"
import type { CountedUsage } from "./tokens.ts"
import { UNFIT_WORDS, type Unfit } from "./unfit.ts"

export type CallOutcome =
  | {
      readonly _tag: "Answered"
      readonly requestId: string
      readonly content: ReadonlyArray<SaidPart>
      readonly finishReason: FinishReason
      /** The provider's count; undefined where it gave none. */
      readonly usage: CountedUsage | undefined
    }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
  /** No answer, or half of one. */
  | { readonly _tag: "Broken"; readonly code: string; readonly detail: string }
  /** An answer that nothing can be made of. `errorCode` is that of the run. */
  | {
      readonly _tag: "Unusable"
      readonly errorCode: "provider_error" | "agent_error"
      readonly code: string
      readonly detail: string
      /** Why the provider refuses the messages, where others can help. */
      readonly unfit?: Unfit
    }

/** Failures of a request before anything can have reached the provider. */
const UNSENT = new Set(["address_refused", "dns_failed", "connect_failed", "tls_failed"])

/** Whether the provider may have begun to work, and may charge for it. None charges for a request that it refuses at once. */
export const canHaveWorked = ({ failure, hasBegun, isUsed, refusal }: OneRequest["sent"]): boolean =>
  isUsed && refusal === undefined && (hasBegun || failure?._tag !== "RequestFailed" || !UNSENT.has(failure.reason))

/** Whether the real end of a stream never came. Some providers' SDKs then make one up. */
export const isMadeUp = (finish: ReturnType<ReceivedAnswer["finish"]>): boolean =>
  finish === undefined ||
  finish.reason.unified === "interrupted" ||
  (finish.reason.unified === "other" && finish.reason.raw === undefined)

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter"
}

/** The reason why a model ended its answer, in the words of runs. */
export const finishReasonOf = ({ unified }: LanguageModelV4FinishReason): FinishReason =>
  FINISH_REASONS[unified] ?? "other"

/** The outcome of a request that is over. `thrown`: the failure on our side of it, if there was one. */
export const outcomeOf = (
  { failure, refusal }: OneRequest["sent"],
  received: ReceivedAnswer,
  about: {
    readonly provider: Provider
    readonly requestId: string
    readonly key: Redacted.Redacted
    readonly thrown: StreamBroken | undefined
  }
): CallOutcome => {
  const { provider, requestId, thrown } = about
  const brokenOff = (code: string, detail: string): CallOutcome => ({ _tag: "Broken", code, detail })
  if (refusal !== undefined) return { _tag: "Refused", refusal: refusalOf(provider, refusal, about.key) }
  if (failure?._tag === "UnfitEvent") {
    const detail =
      failure.reason === "nested_too_deep"
        ? `${provider} answered with JSON that is nested deeper than ${NESTING_MAX} levels`
        : `${provider} sent an event of more than ${EVENT_BYTES_MAX[provider]} bytes`
    return { _tag: "Unusable", errorCode: "provider_error", code: failure.reason, detail }
  }
  if (received.hasTooManyCalls()) {
    const detail = `The model called for more than ${CALLS_MAX} tools at once`
    return { _tag: "Unusable", errorCode: "agent_error", code: "too_many_calls", detail }
  }
  if (failure !== undefined) {
    const what = UNSENT.has(failure.reason) ? `${provider} could not be reached` : `The answer of ${provider} broke off`
    return brokenOff(failure.reason, `${what}: ${failure.detail}`)
  }
  const unfit = received.unfit()
  if (unfit !== undefined) {
    const detail = `${provider} refused the request in its stream: ${UNFIT_WORDS[unfit]}`
    return { _tag: "Unusable", errorCode: "provider_error", code: unfit, detail, unfit }
  }
  // The words of a provider are not repeated here: nobody has looked for parts of the key in them.
  if (received.isBroken()) return brokenOff("stream_error", `${provider} failed in the middle of its answer`)
  if (thrown !== undefined) return brokenOff(thrown.code, thrown.detail)
  const finish = received.finish()
  if (finish === undefined || isMadeUp(finish)) return brokenOff("stream_broken", `${provider} broke off its answer`)
  const { reason, usage } = finish
  return { _tag: "Answered", requestId, content: received.content(), finishReason: finishReasonOf(reason), usage }
}

/** Why the messages of a request were refused; undefined where they were not. */
export const unfitOf = (outcome: CallOutcome): Unfit | undefined => {
  if (outcome._tag === "Unusable") return outcome.unfit
  return outcome._tag === "Refused" && outcome.refusal.kind === "request" ? outcome.refusal.unfit : undefined
}

/** The code of what went wrong, for the record of the call; null where nothing did. */
export const errorCodeOf = (outcome: CallOutcome): string | null => {
  if (outcome._tag === "Answered") return null
  if (outcome._tag !== "Refused") return outcome.code
  const { providerCode, providerStatus } = outcome.refusal
  return providerCode ?? (providerStatus === null ? "key_unreadable" : `http_${providerStatus}`)
}
