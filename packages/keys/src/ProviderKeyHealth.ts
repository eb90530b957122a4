/** How a key's health changes: pure functions, one for each thing that is learned about it. */
import { DateTime } from "effect"
import type { ProviderKey, ProviderKeyError, ProviderKeyStatus } from "./ProviderKey.ts"

/** A provider's answer about a key. */
export type ProbeOutcome =
  /** It takes the key. */
  | { readonly type: "accepted" }
  /** It knows no such key, or does not let it do anything. */
  | { readonly type: "rejected"; readonly providerStatus: number | null; readonly providerCode: string | null }
  /** It takes the key, but not so often. */
  | {
      readonly type: "rate_limited"
      readonly providerStatus: number
      readonly providerCode: string | null
      /** When to come again, if it said so. */
      readonly retryAfterSeconds: number | undefined
    }
  /** It takes the key, but nothing is left to be spent on it. */
  | { readonly type: "quota_exhausted"; readonly providerStatus: number; readonly providerCode: string | null }
  /** It gave no answer, or one that is about itself and not about the key. */
  | { readonly type: "unreachable"; readonly providerStatus: number | null; readonly providerCode: string | null }
  /** It cannot be asked about this key: it has no list of models, or shows it to anybody, or not to this key. */
  | { readonly type: "unsupported"; readonly providerStatus: number | null; readonly providerCode: string | null }

/** How long a key is passed over for others when the provider did not say, in seconds. */
export const LIMITED_SECONDS = { rate_limited: 60, quota_exhausted: 3_600 } as const

/** The longest that a provider is believed when it says when to come again, in seconds: a day. */
export const LIMITED_SECONDS_MAX = 86_400

/** The ways in which a provider takes a key, but not now. */
export type Limit = keyof typeof LIMITED_SECONDS

/** The part of a provider's answer that is kept. */
export type AnswerCodes = Pick<ProviderKeyError, "providerStatus" | "providerCode">

const errorOf = (
  code: ProviderKeyError["code"],
  { providerCode, providerStatus }: AnswerCodes,
  at: DateTime.Utc
): ProviderKeyError => ({ code, providerStatus, providerCode, at })

/** The status at `now`. A limit that is over is none, and a key that has never served stays unverified. */
export const providerKeyStatusAt = (key: ProviderKey, now: DateTime.Utc): ProviderKeyStatus => {
  if (key.limitedUntil === null || DateTime.isGreaterThan(key.limitedUntil, now)) return key.status
  return key.lastValidatedAt === null && key.lastUsedAt === null ? "unverified" : "active"
}

/** When a limit ends that is met at `now`: when the provider said, else after as long as such limits mostly last. */
const endOf = (limit: Limit, now: DateTime.Utc, until: DateTime.Utc | undefined): DateTime.Utc =>
  DateTime.clamp(until ?? DateTime.add(now, { seconds: LIMITED_SECONDS[limit] }), {
    minimum: DateTime.add(now, { seconds: 1 }),
    maximum: DateTime.add(now, { seconds: LIMITED_SECONDS_MAX })
  })

/** The key, limited from `now` until then. A limit of the same kind that is to last longer stays. */
export const limited = (
  key: ProviderKey,
  limit: Limit,
  answer: AnswerCodes,
  now: DateTime.Utc,
  until: DateTime.Utc | undefined = undefined
): ProviderKey => {
  if (key.status === "revoked" || key.status === "invalid") return key
  const end = endOf(limit, now, until)
  const limitedUntil = key.status === limit && key.limitedUntil !== null ? DateTime.max(key.limitedUntil, end) : end
  return { ...key, status: limit, limitedUntil, lastError: errorOf(limit, answer, now) }
}

/** The key, found to be refused. */
export const invalidated = (key: ProviderKey, answer: AnswerCodes, now: DateTime.Utc): ProviderKey =>
  key.status === "revoked" || key.status === "invalid"
    ? key
    : { ...key, status: "invalid", limitedUntil: null, lastError: errorOf("rejected", answer, now) }

/** The key, refused once by a provider that did not say so again. Its status stays. */
export const doubted = (key: ProviderKey, answer: AnswerCodes, now: DateTime.Utc): ProviderKey =>
  key.status === "revoked" || key.status === "invalid" ? key : { ...key, lastError: errorOf("rejected", answer, now) }

/**
 * The key, used with success: its limit is over. An invalid key stays so, since it is not used any more and the report is of a
 * call from before.
 */
export const worked = (key: ProviderKey): ProviderKey =>
  key.status === "revoked" || key.status === "invalid"
    ? key
    : { ...key, status: "active", limitedUntil: null, lastError: null }

const laterBy = (now: DateTime.Utc, seconds: number | undefined): DateTime.Utc | undefined =>
  seconds === undefined ? undefined : DateTime.add(now, { seconds })

/** The key after its provider was asked. What it could not say leaves the status as it is. */
export const afterProbe = (key: ProviderKey, outcome: ProbeOutcome, now: DateTime.Utc): ProviderKey => {
  if (key.status === "revoked") return key
  switch (outcome.type) {
    case "accepted":
      return { ...key, status: "active", limitedUntil: null, lastError: null, lastValidatedAt: now }
    case "rejected":
      return key.status === "invalid"
        ? { ...key, lastError: errorOf("rejected", outcome, now) }
        : invalidated(key, outcome, now)
    case "rate_limited":
      return limited(key, "rate_limited", outcome, now, laterBy(now, outcome.retryAfterSeconds))
    case "quota_exhausted":
      // An account without means is one that the provider knows. To be too fast, nobody has to be known.
      return limited(key.status === "invalid" ? { ...key, status: "unverified" } : key, "quota_exhausted", outcome, now)
    case "unreachable":
    case "unsupported":
      return { ...key, lastError: errorOf(outcome.type, outcome, now) }
  }
}

/** The key, revoked. Revoked again it stays as it is. */
export const revoked = (key: ProviderKey, now: DateTime.Utc): ProviderKey =>
  key.status === "revoked"
    ? key
    : { ...key, status: "revoked", limitedUntil: null, revokedAt: now, version: key.version + 1 }
