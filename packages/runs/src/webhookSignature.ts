/** Checks whether a request to an inbound URL carries the right signature. */
import { hmacSha256 } from "@agent-platform/toolkit"
import { DateTime, Effect, Redacted, Result } from "effect"
import { Mac } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { type Verification, WebhookSecretUnusable, WebhookSignatureInvalid } from "./InboundWebhook.ts"
import { utf8 } from "./utf8.ts"

/** How far a signature's time may be from now, both ways, in seconds. */
export const SIGNATURE_TOLERANCE_SECONDS = 300

/** The signed parts of a request. Names of headers are in lower case. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly raw: Uint8Array
}

const SECRET_PREFIX = "whsec_"

const invalid = (detail: string) => new WebhookSignatureInvalid({ detail })
const mismatch = invalid("No signature of the request matches its body")

/** The key in a secret of Standard Webhooks; undefined when it holds none. */
const standardKey = (secret: string): Uint8Array | undefined => {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret
  const key = Base64.decode(encoded)
  return Result.isSuccess(key) && key.success.length > 0 ? key.success : undefined
}

/** Fails unless a secret can be the one that requests of this kind are signed with. */
export const demandUsableSecret = (
  verification: Verification,
  secret: Redacted.Redacted
): Effect.Effect<void, WebhookSecretUnusable> => {
  if (verification === "none") {
    return Effect.fail(new WebhookSecretUnusable({ detail: "must be left out where nothing is verified" }))
  }
  return verification === "standard-webhooks" && standardKey(Redacted.value(secret)) === undefined
    ? Effect.fail(new WebhookSecretUnusable({ detail: "must be base64, with or without whsec_ before it" }))
    : Effect.void
}

const demandRecent = Effect.fnUntraced(function* (text: string | undefined) {
  if (text === undefined || !/^\d{1,12}$/.test(text)) return yield* invalid("The signature has no time")
  const now = DateTime.toEpochMillis(yield* DateTime.now) / 1000
  if (Math.abs(now - Number(text)) > SIGNATURE_TOLERANCE_SECONDS) {
    return yield* invalid("The signature is too old, or of a time to come")
  }
  return text
})

/** Most signatures of one request that are looked at. */
const SIGNATURES_MAX = 16

/**
 * Fails unless a candidate is the expected signature, in its one spelling. It compares every candidate, so that the time does not tell
 * which one matched.
 */
const demandMatch = (expected: string, candidates: ReadonlyArray<string | undefined>) => {
  const bytes = utf8(expected)
  const compared = candidates.slice(0, SIGNATURES_MAX)
  const matches = compared.filter((one) => one !== undefined && Mac.timingSafeEqual(utf8(one), bytes))
  return matches.length > 0 ? Effect.void : Effect.fail(mismatch)
}

const stripe = Effect.fnUntraced(function* (secret: string, { headers, raw }: SignedRequest) {
  const header = headers["stripe-signature"]
  if (header === undefined) return yield* invalid("The header Stripe-Signature is missing")
  const pairs = header.split(",").map((pair) => pair.trim().split("=", 2) as [string, string | undefined])
  const time = yield* demandRecent(pairs.find(([name]) => name === "t")?.[1])
  const given = pairs.filter(([name]) => name === "v1").map(([, value]) => value)
  yield* demandMatch(hmacSha256(secret, "hex", `${time}.`, raw), given)
})

const github = Effect.fnUntraced(function* (secret: string, { headers, raw }: SignedRequest) {
  const header = headers["x-hub-signature-256"]
  if (header === undefined) return yield* invalid("The header X-Hub-Signature-256 is missing")
  const given = header.startsWith("sha256=") ? header.slice("sha256=".length) : undefined
  yield* demandMatch(hmacSha256(secret, "hex", raw), [given])
})

const standard = Effect.fnUntraced(function* (secret: string, { headers, raw }: SignedRequest) {
  const id = headers["webhook-id"]
  const header = headers["webhook-signature"]
  if (id === undefined || id === "") return yield* invalid("The header webhook-id is missing")
  if (header === undefined) return yield* invalid("The header webhook-signature is missing")
  const time = yield* demandRecent(headers["webhook-timestamp"])
  const key = standardKey(secret)
  if (key === undefined) return yield* mismatch
  const given = header.split(" ").map((one) => (one.startsWith("v1,") ? one.slice("v1,".length) : undefined))
  yield* demandMatch(hmacSha256(key, "base64", `${id}.${time}.`, raw), given)
})

/** Fails with WebhookSignatureInvalid unless the request is signed with the secret, and recently where its time is given. */
export const verifySignature = (
  verification: Exclude<Verification, "none">,
  secret: Redacted.Redacted,
  request: SignedRequest
): Effect.Effect<void, WebhookSignatureInvalid> => {
  const check = { stripe, github, "standard-webhooks": standard }[verification]
  return check(Redacted.value(secret), request)
}
