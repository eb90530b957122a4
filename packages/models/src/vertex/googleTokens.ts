/** Tokens of Google Cloud for service accounts, which Vertex AI takes in the place of keys. */
import { Egress, type RequestFailed } from "@agent-platform/kernel"
import type { ProbeOutcome } from "@agent-platform/keys"
import { Cache, Clock, Data, Effect, Exit, Redacted } from "effect"
import { at, type ProviderAnswer, readAnswer, textAt } from "../ProviderAnswer.ts"
import { readServiceAccount, signedAssertion } from "./ServiceAccount.ts"

/** The audience of every statement, wherever the request for a token is sent. */
const AUDIENCE = "https://oauth2.googleapis.com/token"

const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"

const EXCHANGE_MILLIS_MAX = 10_000
const ANSWER_BYTES_MAX = 64 * 1024

/** Most tokens that are kept; the one that was used the longest ago goes first. */
const TOKENS_MAX = 1_000

/** A token is not used any more so long before it ends, so that a request does not outlive it. */
const MARGIN_SECONDS = 120

/** Longest life of a token, whatever its answer says. */
const LIFETIME_SECONDS_MAX = 3_600

/** Google gives no token for the key: what that says about the key, and its answer where there was one. */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{
  readonly outcome: ProbeOutcome
  readonly answer: ProviderAnswer | undefined
}> {}

interface Token {
  readonly value: Redacted.Redacted
  readonly keptMillis: number
}

/** Errors of RFC 6749 that stay as they are until somebody changes the account or its key. */
const REJECTIONS = new Set(["invalid_grant", "invalid_client", "unauthorized_client", "access_denied"])

/** Google does not accept the times of a statement: this is about the clock of this machine, not about the key. */
const IS_OF_CLOCK = /\b(?:iat|exp|timeframe|short-lived|clock)\b/i

const refusedBy = (answer: ProviderAnswer): TokenRefused => {
  const code = IS_OF_CLOCK.test(textAt(answer.body, "error_description")) ? "" : textAt(answer.body, "error")
  const found = { providerStatus: answer.status, providerCode: REJECTIONS.has(code) ? code : null }
  if (REJECTIONS.has(code)) return new TokenRefused({ answer, outcome: { type: "rejected", ...found } })
  if (answer.status !== 429) return new TokenRefused({ answer, outcome: { type: "unreachable", ...found } })
  const { retryAfterSeconds } = answer
  return new TokenRefused({ answer, outcome: { type: "rate_limited", ...found, retryAfterSeconds } })
}

const UNREADABLE: ProbeOutcome = { type: "rejected", providerStatus: null, providerCode: null }

const tokenIn = (answer: ProviderAnswer): Token | undefined => {
  const value = textAt(answer.body, "access_token")
  const seconds = at(answer.body, "expires_in")
  if (answer.status !== 200 || !/^[\x21-\x7e]+$/.test(value)) return undefined
  const lifetime = typeof seconds === "number" ? Math.min(seconds, LIFETIME_SECONDS_MAX) : 0
  return { value: Redacted.make(value), keptMillis: Math.max(0, lifetime - MARGIN_SECONDS) * 1_000 }
}

/** Asks Google at `url` for a token for the key. Fails with TokenRefused, and with RequestFailed where there is no answer. */
export const askForToken = Effect.fnUntraced(function* (
  egress: Egress["Service"],
  url: string,
  key: Redacted.Redacted
): Effect.fn.Return<Token, TokenRefused | RequestFailed> {
  const unreadable = new TokenRefused({ outcome: UNREADABLE, answer: undefined })
  const account = readServiceAccount(key)
  if (account === undefined) return yield* unreadable
  const now = yield* Clock.currentTimeMillis
  const assertion = yield* Effect.tryPromise({
    try: () => signedAssertion(account, AUDIENCE, Math.floor(now / 1_000)),
    catch: () => unreadable
  })
  const answer = readAnswer(
    yield* egress.send({
      purpose: "providers",
      method: "POST",
      url,
      headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
      deadlineMillis: EXCHANGE_MILLIS_MAX,
      readBytesMax: ANSWER_BYTES_MAX
    })
  )
  const token = tokenIn(answer)
  return token ?? (yield* refusedBy(answer))
})

/** The tokens of a process: each is fetched once, for all who wait for it, and kept until shortly before it ends. */
export interface GoogleTokens {
  readonly get: (key: Redacted.Redacted) => Effect.Effect<Redacted.Redacted, TokenRefused | RequestFailed>
}

/** Tokens that are asked for at `url`. */
export const makeGoogleTokens = Effect.fnUntraced(function* (
  url: string
): Effect.fn.Return<GoogleTokens, never, Egress> {
  const egress = yield* Egress
  const cache = yield* Cache.makeWith((key: string) => askForToken(egress, url, Redacted.make(key)), {
    capacity: TOKENS_MAX,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? exit.value.keptMillis : 0)
  })
  return { get: (key) => Effect.map(Cache.get(cache, Redacted.value(key)), ({ value }) => value) }
})
