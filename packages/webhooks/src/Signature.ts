/** The headers by which a receiver knows a delivery is ours, as `verify` of `@agent-platform/receiver` does. Spec: Delivery headers; Signature. */
import type { EventId } from "@agent-platform/kernel"
import { type HmacKey, hmacKey, hmacSha256 } from "@agent-platform/toolkit"
import { Effect, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"

const SECRET_PREFIX = "whsec_"

/** Some firewalls refuse requests that do not say who they are from. */
export const USER_AGENT = "agent-platform-webhooks"

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export const generateSecret: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(32)),
  (bytes) => Redacted.make(SECRET_PREFIX + Base64.encode(bytes))
)

/** The keys of Standard Webhooks, which are the decoded part of a secret. Each is remembered for as long as its secret is. */
const decodedKeys = new WeakMap<Redacted.Redacted, HmacKey>()

const decodedKeyOf = (secret: Redacted.Redacted): HmacKey => {
  const known = decodedKeys.get(secret)
  if (known !== undefined) return known
  const bytes = Result.getOrThrowWith(
    Base64.decode(Redacted.value(secret).slice(SECRET_PREFIX.length)),
    // The decoder's message would have the secret in it.
    () => new Error("A signing secret is not one of ours")
  )
  const key = hmacKey(bytes)
  decodedKeys.set(secret, key)
  return key
}

/** The signed content, and the secrets. */
export interface SignedDelivery {
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly timestampSeconds: number
  readonly eventId: EventId
  readonly eventType: string
  readonly body: string
  readonly headerPrefix: string
  /** `USER_AGENT` by default. */
  readonly userAgent?: string | undefined
}

/**
 * Every header of one delivery: the three of the spec under `headerPrefix` (`x-service` unless configured) and the Standard
 * Webhooks three, whose key is the decoded part of the secret. `v1` of the spec is lower-case hex of the HMAC-SHA256 of
 * `<timestamp>.<body>` under the whole secret. Each secret signs, in the order given, so that a receiver that knows any of them
 * verifies: several while a rotation overlaps, else one. Throws where a secret is not one of ours.
 */
export const deliveryHeaders = (delivery: SignedDelivery): Readonly<Record<string, string>> => {
  const { body, eventId, eventType, headerPrefix, secrets, timestampSeconds } = delivery
  const time = String(timestampSeconds)
  let digests = `t=${time}`
  let standard = ""
  for (const secret of secrets) {
    digests += `,v1=${hmacSha256(Redacted.value(secret), "hex", `${time}.`, body)}`
    standard += `${standard === "" ? "" : " "}v1,${hmacSha256(decodedKeyOf(secret), "base64", `${eventId}.${time}.`, body)}`
  }
  return {
    "content-type": "application/json",
    "user-agent": delivery.userAgent ?? USER_AGENT,
    [`${headerPrefix}-signature`]: digests,
    [`${headerPrefix}-event-id`]: eventId,
    [`${headerPrefix}-event-type`]: eventType,
    // Last, as their names are those of a standard, whatever the prefix is.
    "webhook-id": eventId,
    "webhook-timestamp": time,
    "webhook-signature": standard
  }
}
