/** The meaning of a provider's answer that is not the one asked for. */
import { type Limit, type ProbeOutcome, type Provider, shownProviderCode } from "@agent-platform/keys"
import { redactText } from "@agent-platform/runs"
import { Redacted } from "effect"
import { classifyAnswer } from "../classifyAnswer.ts"
import { type ProviderAnswer, textAt } from "../ProviderAnswer.ts"
import { type Unfit, unfitOfAnswer } from "./unfit.ts"

/** A provider's refusal of one request. The status is null where the key was refused before anybody was asked. */
export type Refusal = {
  /** The provider's own code, where it can be shown. */
  readonly providerCode: string | null
  /** When to come again, if it said so. */
  readonly retryAfterSeconds: number | undefined
  /** In a sentence, without anything of the key. */
  readonly detail: string
} & (
  | { readonly kind: "key"; readonly providerStatus: number | null }
  | { readonly kind: "limit"; readonly providerStatus: number; readonly limit: Limit }
  /** The same request may be answered in a moment. */
  | { readonly kind: "busy"; readonly providerStatus: number }
  /** The same request would be refused again. `unfit`: why, where other messages can help. */
  | { readonly kind: "request"; readonly providerStatus: number; readonly unfit: Unfit | undefined }
)

/** The longest explanation of a provider that is kept, in characters. */
const EXPLANATION_LENGTH_MAX = 300

/** As many characters of a key as never appear by chance. */
const REVEALING_LENGTH = 8

/** A provider's words, unless they hold a part of the key. */
const explanation = (answer: ProviderAnswer, key: string): string => {
  const said = textAt(answer.body, "error", "message") || textAt(answer.body, "message")
  const text = redactText(said.slice(0, EXPLANATION_LENGTH_MAX)).text
  for (let start = 0; start + REVEALING_LENGTH <= key.length; start++) {
    if (text.includes(key.slice(start, start + REVEALING_LENGTH))) return ""
  }
  return text
}

const BUSY = new Set([408, 409, 425, 500, 502, 503, 504, 529])

/** Reads a refusal by the rules of its provider. */
export const refusalOf = (
  provider: Provider,
  answer: ProviderAnswer,
  key: Redacted.Redacted,
  outcome: ProbeOutcome = classifyAnswer(provider, answer, key)
): Refusal => {
  const fallbackCode = textAt(answer.body, "error", "code") || textAt(answer.body, "error", "type")
  const providerCode = "providerCode" in outcome ? outcome.providerCode : shownProviderCode(fallbackCode, key)
  const why = explanation(answer, Redacted.value(key))
  const facts = {
    providerStatus: answer.status,
    providerCode,
    retryAfterSeconds: outcome.type === "rate_limited" ? outcome.retryAfterSeconds : answer.retryAfterSeconds,
    detail: `${provider} answered ${answer.status}${providerCode === null ? "" : ` ${providerCode}`}${why === "" ? "" : `: ${why}`}`
  }
  if (outcome.type === "rejected") return { kind: "key", ...facts }
  if (outcome.type === "rate_limited" || outcome.type === "quota_exhausted") {
    return { kind: "limit", limit: outcome.type, ...facts }
  }
  if (BUSY.has(answer.status) || answer.status > 504) return { kind: "busy", ...facts }
  return { kind: "request", unfit: unfitOfAnswer(answer), ...facts }
}
