/** How an answer of a provider judges the key of its request: the rules of each provider, as pure functions. */
import { type ProbeOutcome, type Provider, shownProviderCode } from "@agent-platform/keys"
import type { Redacted } from "effect"
import { listAt, type ProviderAnswer, textAt } from "./ProviderAnswer.ts"

type Verdict = ProbeOutcome["type"]

/** A verdict with what it rests on. */
interface Reading {
  readonly verdict: Verdict
  /** The provider's own code, as it was sent. */
  readonly code: unknown
  readonly retryAfterSeconds?: number | undefined
}

/** The meaning of a status where a provider has none of its own. */
const verdictOfStatus = ({ isJson, status }: ProviderAnswer): Verdict => {
  if (status >= 200 && status < 300) return isJson ? "accepted" : "unsupported"
  switch (status) {
    case 401:
      return "rejected"
    case 403:
      // A page instead of a problem comes from a firewall, which looks at the caller's address and not at the key.
      return isJson ? "rejected" : "unreachable"
    case 402:
      return "quota_exhausted"
    case 404:
    case 405:
      return "unsupported"
    case 429:
      return "rate_limited"
    default:
      return "unreachable"
  }
}

const OPENAI_OUT_OF_MEANS = new Set(["insufficient_quota", "billing_not_active", "billing_hard_limit_reached"])

/** OpenAI, and servers with the same API. */
const openai = (answer: ProviderAnswer): Reading => {
  const { body, status } = answer
  const type = textAt(body, "error", "type")
  const code = textAt(body, "error", "code") || type
  const verdict = verdictOfStatus(answer)
  if (status === 429 && (OPENAI_OUT_OF_MEANS.has(code) || OPENAI_OUT_OF_MEANS.has(type))) {
    return { verdict: "quota_exhausted", code }
  }
  if (verdict !== "rejected") return { verdict, code }
  // A restricted key that may call models but not list them. OpenAI has answered it with 401, and now does with 403.
  if (/\bmissing scopes\b/i.test(textAt(body, "error", "message"))) return { verdict: "unsupported", code }
  if (code === "unsupported_country_region_territory") return { verdict: "unreachable", code }
  return { verdict, code }
}

/** OpenAI's models at Azure, which says 403 for the caller's network as well as for a key that may do nothing. */
const azure = (answer: ProviderAnswer): Reading => {
  const reading = openai(answer)
  const isOfNetwork = /\b(?:virtual network|firewall|public access|private endpoint)\b/i
  return answer.status === 403 && isOfNetwork.test(textAt(answer.body, "error", "message"))
    ? { ...reading, verdict: "unreachable" }
    : reading
}

const anthropic = (answer: ProviderAnswer): Reading => {
  const { body, status } = answer
  const code = textAt(body, "error", "type")
  const message = textAt(body, "error", "message")
  if (status === 400 && /\bcredit balance is too low\b|\busage limits\b/i.test(message)) {
    return { verdict: "quota_exhausted", code }
  }
  if (status === 400 && /\borganization has been disabled\b/i.test(message)) return { verdict: "rejected", code }
  // Any other 403 is about where the request comes from, not about the key.
  if (status === 403 && code !== "permission_error") return { verdict: "unreachable", code }
  return { verdict: verdictOfStatus(answer), code }
}

/** The `34s` or `34.07s` of a RetryInfo, rounded up. */
const retryDelayOf = (details: ReadonlyArray<unknown>): number | undefined => {
  const [seconds] = details.flatMap((detail) => /^(\d{1,6})(\.\d+)?s$/.exec(textAt(detail, "retryDelay"))?.[0] ?? [])
  return seconds === undefined ? undefined : Math.ceil(Number.parseFloat(seconds))
}

const isDailyQuota = (detail: unknown): boolean =>
  listAt(detail, "violations").some((one) => textAt(one, "quotaId").includes("PerDay"))

/** Google answers a bad key with 400, and says why in the details. */
const google = (answer: ProviderAnswer): Reading => {
  const details = listAt(answer.body, "error", "details")
  const reason = details.map((detail) => textAt(detail, "reason")).find((one) => one !== "") ?? ""
  const code = reason || textAt(answer.body, "error", "status")
  if (answer.status === 400 && reason === "API_KEY_INVALID") return { verdict: "rejected", code }
  if (answer.status === 429) {
    if (details.some(isDailyQuota)) return { verdict: "quota_exhausted", code }
    return { verdict: "rate_limited", code, retryAfterSeconds: retryDelayOf(details) }
  }
  return { verdict: verdictOfStatus(answer), code }
}

/** Amazon says in a header which error it is, and in the body why. A 403 may also be about a model that the key may not call. */
const bedrock = (answer: ProviderAnswer): Reading => {
  const code = answer.errorType || textAt(answer.body, "__type").replace(/^.*#/, "")
  if (
    answer.status === 403 &&
    code === "AccessDeniedException" &&
    !/\b(?:key|token)\b/i.test(textAt(answer.body, "message"))
  ) {
    return { verdict: "unsupported", code }
  }
  if (code === "ServiceQuotaExceededException") return { verdict: "quota_exhausted", code }
  return { verdict: verdictOfStatus(answer), code }
}

const RULES: Readonly<Record<Provider, (answer: ProviderAnswer) => Reading>> = {
  openai,
  azure,
  openai_compatible: openai,
  bedrock,
  anthropic,
  google,
  vertex: google
}

/** The provider's verdict about the key. It repeats nothing of the answer but the provider's code, and that without the key. */
export const classifyAnswer = (provider: Provider, answer: ProviderAnswer, key: Redacted.Redacted): ProbeOutcome => {
  const { code, retryAfterSeconds, verdict } = RULES[provider](answer)
  if (verdict === "accepted") return { type: verdict }
  const found = { providerStatus: answer.status, providerCode: shownProviderCode(code, key) }
  return verdict === "rate_limited"
    ? { type: verdict, ...found, retryAfterSeconds: retryAfterSeconds ?? answer.retryAfterSeconds }
    : { type: verdict, ...found }
}
