/** The changes of a key's health, as pure functions: one for each thing that is learned about the key. */
import { DateTime } from "effect"
import type { ProviderKey, ProviderKeyError, ProviderKeyStatus } from "./ProviderKey.ts"

/** A provider's answer about a key. */
export type ProbeOutcome =
  /** It takes the key. */
  | { readonly type: "accepted" }
  /** It does not know the key, or does not let it do anything. */
  | { readonly type: "rejected"; readonly providerStatus: number | null; readonly providerCode: string | null }
  /** It takes the key, but not so often. */
  | {
      readonly type: "rate_limited"
      readonly providerStatus: number
      readonly providerCode: string | null
      /** After how long to try again, if the provider said so. */
      readonly retryAfterSeconds: number | undefined
    }
  /** It takes the key, but the account has nothing left to spend. */
  | { readonly type: "quota_exhausted"; readonly providerStatus: number; readonly providerCode: string | null }
  /** It gave no answer, or one that is about itself and not about the key. */
  | { readonly type: "unreachable"; readonly providerStatus: number | null; readonly providerCode: string | null }
  /** It cannot be asked about this key: it has no list of models, or shows the list to anybody, or not to this key. */
  | { readonly type: "unsupported"; readonly providerStatus: number | null; readonly providerCode: string | null }

/** How long other keys go before a limited one when the provider did not say how long the limit lasts, in seconds. */
export const LIMITED_SECONDS = { rate_limited: 60, quota_exhausted: 3_600 } as const

/** The longest limit that a provider can set, in seconds: a day. */
export const LIMITED_SECONDS_MAX = 86_400

/** The reasons for which a provider takes a key, but not now. */
export type Limit = keyof typeof LIMITED_SECONDS

/** The part of a provider's answer that is kept. */
export type AnswerCodes = Pick<ProviderKeyError, "providerStatus" | "providerCode">

const errorOf = (
  code: ProviderKeyError["code"],
  { providerCode, providerStatus }: AnswerCodes,
  at: DateTime.Utc
): ProviderKeyError => ({ code, providerStatus, providerCode, at })

/** The status at `now`. A limit that is over does not count, and a key that has never served is unverified after it. */
export const providerKeyStatusAt = (key: ProviderKey, now: DateTime.Utc): ProviderKeyStatus => {
  if (key.limitedUntil === null || DateTime.isGreaterThan(key.limitedUntil, now)) return key.status
  return key.lastValidatedAt === null && key.lastUsedAt === null ? "unverified" : "active"
}

/** When a limit ends that is met at `now`: at the time that the provider named, else after `LIMITED_SECONDS`. */
const endOf = (limit: Limit, now: DateTime.Utc, until: DateTime.Utc | undefined): DateTime.Utc =>
  DateTime.clamp(until ?? DateTime.add(now, { seconds: LIMITED_SECONDS[limit] }), {
    minimum: DateTime.add(now, { seconds: 1 }),
    maximum: DateTime.add(now, { seconds: LIMITED_SECONDS_MAX })
  })

/** The key with a limit from `now` on. A limit of the same kind that lasts longer stays. */
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

/** The key once its provider refuses it for good. */
export const invalidated = (key: ProviderKey, answer: AnswerCodes, now: DateTime.Utc): ProviderKey =>
  key.status === "revoked" || key.status === "invalid"
    ? key
    : { ...key, status: "invalid", limitedUntil: null, lastError: errorOf("rejected", answer, now) }

/** The key once its provider has refused it and did not refuse it again when asked. Its status stays. */
export const doubted = (key: ProviderKey, answer: AnswerCodes, now: DateTime.Utc): ProviderKey =>
  key.status === "revoked" || key.status === "invalid" ? key : { ...key, lastError: errorOf("rejected", answer, now) }

/**
 * The key once it was used with success: its limit is over. An invalid key stays invalid, since it is not used any more and the
 * report is about an earlier call.
 */
export const worked = (key: ProviderKey): ProviderKey =>
  key.status === "revoked" || key.status === "invalid"
    ? key
    : { ...key, status: "active", limitedUntil: null, lastError: null }

const laterBy = (now: DateTime.Utc, seconds: number | undefined): DateTime.Utc | undefined =>
  seconds === undefined ? undefined : DateTime.add(now, { seconds })

/** The key after its provider was asked. Where the provider could not say, the status stays. */
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
      // A provider that finds the account empty knows the key, so the key is not invalid. A rate limit shows no such thing.
      return limited(key.status === "invalid" ? { ...key, status: "unverified" } : key, "quota_exhausted", outcome, now)
    case "unreachable":
    case "unsupported":
      return { ...key, lastError: errorOf(outcome.type, outcome, now) }
  }
}

/** The revoked key. A key that is revoked already stays as it is. */
export const revoked = (key: ProviderKey, now: DateTime.Utc): ProviderKey =>
  key.status === "revoked"
    ? key
    : { ...key, status: "revoked", limitedUntil: null, revokedAt: now, version: key.version + 1 }
