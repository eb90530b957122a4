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

/** Where content of the usual size lies while it is signed: a place of its own would cost more than the signature. */
const DESK_BYTES = 16_384

/** The desk that nobody works at; undefined while somebody does. */
let freeDesk: Uint8Array | undefined

/** Both parts as one. Written one after the other: a text put together of them would be a copy of the body more. */
const bytesAt = (desk: Uint8Array, head: string, body: string): Uint8Array => {
  const start = utf8.encodeInto(head, desk).written
  const { read, written } = utf8.encodeInto(body, desk.subarray(start))
  return read === body.length ? desk.subarray(0, start + written) : utf8.encode(head + body)
}

/** The keys that secrets are, made once for a secret that is kept: making one costs as much as to sign with it. */
const rememberingKeys = (bytesOf: (text: string) => Effect.Effect<Uint8Array, unknown>) => {
  const keys = new WeakMap<Redacted.Redacted, Mac.Key>()
  return {
    known: (secret: Redacted.Redacted) => keys.get(secret),
    make: Effect.fnUntraced(function* (secret: Redacted.Redacted) {
      const key = yield* Mac.key(Mac.hmacSha256, yield* bytesOf(Redacted.value(secret)))
      keys.set(secret, key)
      return key
    }, Effect.orDie)
  }
}

/** The spec's scheme takes the whole text for the key, and Standard Webhooks the decoded part. */
const wholeKeys = rememberingKeys((text) => Effect.succeed(utf8.encode(text)))
const decodedKeys = rememberingKeys((text) => Effect.fromResult(Base64.decode(text.slice(SECRET_PREFIX.length))))

/** `v1`: lower-case hex of the HMAC-SHA256 of `<timestamp>.<body>` under the whole secret. Spec: Signature 1. */
export const sign = Effect.fnUntraced(function* (secret: Redacted.Redacted, timestampSeconds: number, body: string) {
  const mac = yield* Mac.Mac
  const key = wholeKeys.known(secret) ?? (yield* wholeKeys.make(secret))
  return Hex.encode(yield* mac.sign(key, utf8.encode(`${timestampSeconds}.${body}`)))
}, Effect.orDie)

interface HeaderNames {
  readonly prefix: string
  readonly signature: string
  readonly eventId: string
  readonly eventType: string
}

const headerNames = (prefix: string): HeaderNames => ({
  prefix,
  signature: `${prefix}-signature`,
  eventId: `${prefix}-event-id`,
  eventType: `${prefix}-event-type`
})

/** The names under the prefix of this process: one that is put together anew is looked up among all names there are. */
let lastNames = headerNames("x-service")

const namesUnder = (prefix: string): HeaderNames => {
  if (lastNames.prefix !== prefix) lastNames = headerNames(prefix)
  return lastNames
}

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
  const desk = freeDesk ?? new Uint8Array(DESK_BYTES)
  freeDesk = undefined
  // What the spec has signed is the end of what Standard Webhooks has signed; an id is one byte a character.
  const standardContent = bytesAt(desk, `${eventId}.${timestampSeconds}.`, body)
  const specContent = standardContent.subarray(eventId.length + 1)
  const mac = yield* Mac.Mac
  let digests = `t=${timestampSeconds}`
  let standard = ""
  for (const secret of secrets) {
    const whole = wholeKeys.known(secret) ?? (yield* wholeKeys.make(secret))
    digests += `,v1=${Hex.encode(yield* mac.sign(whole, specContent))}`
    const decoded = decodedKeys.known(secret) ?? (yield* decodedKeys.make(secret))
    standard += `${standard === "" ? "" : " "}v1,${Base64.encode(yield* mac.sign(decoded, standardContent))}`
  }
  freeDesk = desk
  const names = namesUnder(delivery.headerPrefix)
  const headers: Readonly<Record<string, string>> = {
    "content-type": "application/json",
    // Some firewalls refuse requests that do not say who they are from.
    "user-agent": "agent-platform-webhooks",
    [names.signature]: digests,
    [names.eventId]: eventId,
    [names.eventType]: delivery.eventType,
    "webhook-id": eventId,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": standard
  }
  return headers
}, Effect.orDie)
