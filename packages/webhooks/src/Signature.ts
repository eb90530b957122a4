/** The headers by which a receiver knows a delivery is ours. Spec: Delivery headers; Signature. */
import { type Code, type EventId, Hmac } from "@agent-platform/kernel"
import { Effect, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"

const SECRET_PREFIX = "whsec_"
const utf8 = new TextEncoder()

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export const generateSecret: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(32)),
  (bytes) => Redacted.make(SECRET_PREFIX + Base64.encode(bytes))
)

/** Where content of the usual size lies while it is signed: a place of its own would cost more than the signature. */
const DESK_BYTES = 16_384

/** Never in use beyond one signature. */
const desk = new Uint8Array(DESK_BYTES)

/** Both parts as one. Written one after the other: a text put together of them would be a copy of the body more. */
const bytesOf = (head: string, body: string): Uint8Array => {
  const start = utf8.encodeInto(head, desk).written
  const { read, written } = utf8.encodeInto(body, desk.subarray(start))
  return read === body.length ? desk.subarray(0, start + written) : utf8.encode(head + body)
}

/** The code under a secret, made once for a secret that is kept: making one costs as much as to sign with it. */
const rememberingCodes = (hmac: Hmac["Service"], keyOf: (text: string) => Uint8Array) => {
  const codes = new WeakMap<Redacted.Redacted, Code>()
  return (secret: Redacted.Redacted): Code => {
    const known = codes.get(secret)
    if (known !== undefined) return known
    const code = hmac.sha256(keyOf(Redacted.value(secret)))
    codes.set(secret, code)
    return code
  }
}

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

/** What is signed, and by what. */
export interface SignedDelivery {
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly timestampSeconds: number
  readonly eventId: EventId
  readonly eventType: string
  readonly body: string
  readonly headerPrefix: string
}

/** Signs at once: deliveries are signed by the thousand a second. */
export interface Signer {
  /**
   * Every header of one delivery: the three of the spec under `headerPrefix` (`x-service` unless configured) and the
   * Standard Webhooks three, whose key is the decoded part of the secret. `v1` of the spec is lower-case hex of the
   * HMAC-SHA256 of `<timestamp>.<body>` under the whole secret. Each secret signs, in the order given, so that a
   * receiver that knows any of them verifies: several while a rotation overlaps, else one. Throws where a secret is not
   * one of ours.
   */
  readonly headers: (delivery: SignedDelivery) => Readonly<Record<string, string>>
}

/** A signer that remembers what it made of the secrets that are kept. */
export const makeSigner = (hmac: Hmac["Service"]): Signer => {
  // The spec's scheme takes the whole text for the key, and Standard Webhooks the decoded part.
  const codeOfWhole = rememberingCodes(hmac, (text) => utf8.encode(text))
  const codeOfDecoded = rememberingCodes(hmac, (text) =>
    Result.getOrThrowWith(
      Base64.decode(text.slice(SECRET_PREFIX.length)),
      // What the decoder says of it would have the secret in it.
      () => new Error("A signing secret is not one of ours")
    )
  )
  return {
    headers: ({ body, eventId, eventType, headerPrefix, secrets, timestampSeconds }) => {
      // What the spec has signed is the end of what Standard Webhooks has signed; an id is one byte a character.
      const standardContent = bytesOf(`${eventId}.${timestampSeconds}.`, body)
      const specContent = standardContent.subarray(eventId.length + 1)
      let digests = `t=${timestampSeconds}`
      let standard = ""
      for (const secret of secrets) {
        digests += `,v1=${codeOfWhole(secret)(specContent, "hex")}`
        standard += `${standard === "" ? "" : " "}v1,${codeOfDecoded(secret)(standardContent, "base64")}`
      }
      const names = namesUnder(headerPrefix)
      const headers: Record<string, string> = {
        "content-type": "application/json",
        // Some firewalls refuse requests that do not say who they are from.
        "user-agent": "agent-platform-webhooks"
      }
      // One after the other: V8 asks its runtime for each computed key of a literal.
      headers[names.signature] = digests
      headers[names.eventId] = eventId
      headers[names.eventType] = eventType
      // Last, as their names are those of a standard, whatever the prefix is.
      headers["webhook-id"] = eventId
      headers["webhook-timestamp"] = String(timestampSeconds)
      headers["webhook-signature"] = standard
      return headers
    }
  }
}

/** As `Signer.headers`, for who signs one delivery. */
export const deliveryHeaders = (
  delivery: SignedDelivery
): Effect.Effect<Readonly<Record<string, string>>, never, Hmac> =>
  Hmac.use((hmac) => Effect.sync(() => makeSigner(hmac).headers(delivery)))
