/** The headers by which a receiver knows a delivery is ours. Spec: Delivery headers; Signature. */
import type { EventId } from "@agent-platform/kernel"
import { Effect, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"

const SECRET_PREFIX = "whsec_"
const utf8 = new TextEncoder()

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export const generateSecret: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(32)),
  (bytes) => Redacted.make(SECRET_PREFIX + Base64.encode(bytes))
)

/** The key that a secret is, made once for a secret that is kept: making it costs as much as to sign with it. */
const remembering = (bytesOf: (text: string) => Effect.Effect<Uint8Array, unknown>) => {
  const keys = new WeakMap<Redacted.Redacted, Mac.Key>()
  return (secret: Redacted.Redacted): Effect.Effect<Mac.Key> => {
    const known = keys.get(secret)
    if (known !== undefined) return Effect.succeed(known)
    return bytesOf(Redacted.value(secret)).pipe(
      Effect.flatMap((bytes) => Mac.key(Mac.hmacSha256, bytes)),
      Effect.tap((key) => Effect.sync(() => keys.set(secret, key))),
      Effect.orDie
    )
  }
}

/** The spec's scheme takes the whole text for the key, and Standard Webhooks the decoded part. */
const wholeKey = remembering((text) => Effect.succeed(utf8.encode(text)))
const decodedKey = remembering((text) => Effect.fromResult(Base64.decode(text.slice(SECRET_PREFIX.length))))

const hmac = (key: Mac.Key, text: string): Effect.Effect<Uint8Array, never, Mac.Mac> =>
  Mac.Mac.use((mac) => Effect.orDie(mac.sign(key, utf8.encode(text))))

/** `v1`: lower-case hex of the HMAC-SHA256 of `<timestamp>.<body>` under the whole secret. Spec: Signature 1. */
export const sign = (secret: Redacted.Redacted, timestampSeconds: number, body: string) =>
  Effect.flatMap(wholeKey(secret), (key) => Effect.map(hmac(key, `${timestampSeconds}.${body}`), Hex.encode))

const standardSignature = (secret: Redacted.Redacted, content: string) =>
  Effect.flatMap(decodedKey(secret), (key) => Effect.map(hmac(key, content), (tag) => `v1,${Base64.encode(tag)}`))

/**
 * Every header of one delivery: the three of the spec under `headerPrefix` (`x-service` unless configured) and the
 * Standard Webhooks three, whose key is the decoded part of the secret. Each secret signs, in the order given, so that a
 * receiver that knows any of them verifies: several while a rotation overlaps, else one.
 */
export const deliveryHeaders = Effect.fnUntraced(function* (delivery: {
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly timestampSeconds: number
  readonly eventId: EventId
  readonly eventType: string
  readonly body: string
  readonly headerPrefix: string
}) {
  const { body, eventId, secrets, timestampSeconds } = delivery
  const digests = yield* Effect.forEach(secrets, (secret) => sign(secret, timestampSeconds, body))
  const standard = yield* Effect.forEach(secrets, (secret) =>
    standardSignature(secret, `${eventId}.${timestampSeconds}.${body}`)
  )
  const headers: Readonly<Record<string, string>> = {
    "content-type": "application/json",
    // Some firewalls refuse requests that do not say who they are from.
    "user-agent": "agent-platform-webhooks",
    [`${delivery.headerPrefix}-signature`]: [`t=${timestampSeconds}`, ...digests.map((v1) => `v1=${v1}`)].join(","),
    [`${delivery.headerPrefix}-event-id`]: eventId,
    [`${delivery.headerPrefix}-event-type`]: delivery.eventType,
    "webhook-id": eventId,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": standard.join(" ")
  }
  return headers
})
