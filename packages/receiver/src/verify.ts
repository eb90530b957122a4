import { WebhookRefused } from "./WebhookRefused.ts"

/** How old a delivery may be, and how far ahead of this clock by default. Spec: Signature 2. */
export const TOLERANCE_SECONDS_DEFAULT = 300

/** Most signatures of one delivery that are looked at: a sender has a few while it rotates its secret. */
const SIGNATURES_MAX = 16

/** The event of a delivery, once its signature is verified. Spec: Webhook event envelope. */
export interface ReceivedEvent {
  /** The same in every delivery of the event, by which duplicates are found. */
  readonly id: string
  readonly type: string
  /** ISO 8601 with a numeric offset. */
  readonly created_at: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The headers of a request as frameworks have them: `Headers`, or an object with names in any case. */
export type RequestHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** How a delivery is verified. */
export interface VerifyOptions {
  /** How far the time of the delivery may be from `now`, in either direction: finite, from 0 on. 300 by default. */
  readonly toleranceSeconds?: number | undefined
  /** How the sender's headers begin. `x-service` by default. */
  readonly headerPrefix?: string | undefined
  /** The time now, in milliseconds since 1970: finite, from 0 on. This machine's clock by default. */
  readonly now?: number | undefined
}

/** A signed delivery, whichever headers signed it. One of the signatures must match `content` under `key`. */
interface Signed {
  readonly timestamp: string
  readonly signatures: ReadonlyArray<Uint8Array<ArrayBuffer>>
  readonly content: (body: Uint8Array) => Uint8Array<ArrayBuffer>
  readonly key: (secret: string) => Uint8Array<ArrayBuffer> | undefined
}

const utf8 = new TextEncoder()

/** NaN compares as false with everything, so a limit that is no number would refuse nothing. */
const numberOf = (option: "toleranceSeconds" | "now", value: number): number => {
  if (Number.isFinite(value) && value >= 0) return value
  throw new RangeError(`${option} must be a finite number from 0 on`)
}

const headerOf = (headers: RequestHeaders, name: string): string | undefined => {
  if (typeof headers.get === "function") return headers.get(name) ?? undefined
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof entry === "string" ? entry : Array.isArray(entry) ? entry.join(",") : undefined
}

const bytesOfHex = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  /^(?:[0-9a-f]{2})+$/.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : undefined

const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** The values that could be decoded, `SIGNATURES_MAX` at most. */
const firstDecoded = <A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> =>
  values.filter((value): value is A => value !== undefined).slice(0, SIGNATURES_MAX)

/** The bytes of a text and then those of a body. */
const joined = (start: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = utf8.encode(start)
  const all = new Uint8Array(head.length + body.length)
  all.set(head)
  all.set(body, head.length)
  return all
}

/** `t=<seconds>,v1=<hex>[,v1=<hex>…]`. The key is the whole secret. Spec: Signature 1. */
const ofService = (header: string): Signed => {
  const fields = header.split(",").map((field) => field.split("="))
  const timestamp = fields.find(([name]) => name === "t")?.[1] ?? ""
  return {
    timestamp,
    signatures: firstDecoded(fields.map(([name, value = ""]) => (name === "v1" ? bytesOfHex(value) : undefined))),
    content: (body) => joined(`${timestamp}.`, body),
    key: (secret) => utf8.encode(secret)
  }
}

/** The three headers of Standard Webhooks. The key is the bytes that the secret's base64 stands for. */
const ofStandardWebhooks = (headers: RequestHeaders, header: string): Signed => {
  const id = headerOf(headers, "webhook-id") ?? ""
  const timestamp = headerOf(headers, "webhook-timestamp") ?? ""
  const fields = header.split(" ").map((field) => field.split(","))
  return {
    timestamp,
    signatures: firstDecoded(fields.map(([name, value = ""]) => (name === "v1" ? bytesOfBase64(value) : undefined))),
    content: (body) => joined(`${id}.${timestamp}.`, body),
    key: (secret) => bytesOfBase64(secret.replace(/^whsec_/, ""))
  }
}

const signedBy = (headers: RequestHeaders, prefix: string): Signed => {
  const own = headerOf(headers, `${prefix.toLowerCase()}-signature`)
  if (own !== undefined) return ofService(own)
  const standard = headerOf(headers, "webhook-signature")
  if (standard !== undefined) return ofStandardWebhooks(headers, standard)
  throw new WebhookRefused(
    "signature_missing",
    `There is no ${prefix}-signature header and no webhook-signature header`
  )
}

const checkTime = (timestamp: string, toleranceSeconds: number, now: number): void => {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookRefused("signature_malformed", "The time of the delivery is not one")
  const age = now / 1000 - Number(timestamp)
  if (age > toleranceSeconds) throw new WebhookRefused("too_old", "The delivery is older than the tolerance")
  if (-age > toleranceSeconds) throw new WebhookRefused("too_new", "The delivery is further ahead than the tolerance")
}

/** Whether one of the secrets has made one of the signatures. WebCrypto compares in a time that tells nothing about them. */
const matches = async (signed: Signed, body: Uint8Array, secrets: ReadonlyArray<string>): Promise<boolean> => {
  const content = signed.content(body)
  for (const secret of secrets) {
    const bytes = signed.key(secret)
    if (bytes === undefined || bytes.length === 0) continue
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
    for (const signature of signed.signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, content)) return true
    }
  }
  return false
}

const noEvent = () =>
  new WebhookRefused("body_malformed", "The body is genuine, and no event that this version knows to read")

const jsonIn = (body: Uint8Array) => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    throw noEvent()
  }
}

const eventIn = (body: Uint8Array): ReceivedEvent => {
  const event = jsonIn(body)
  if (typeof event?.id !== "string" || typeof event.type !== "string") throw noEvent()
  return event
}

/**
 * Verifies a delivery and returns its event. `rawBody` is the body as it came, byte for byte: one that was parsed and
 * written again has another signature. `secret` is the endpoint's signing secret as it was shown; several while a
 * rotation is under way. Rejects with `WebhookRefused`, whose `code` says why; nothing of the body is to be trusted then.
 * Rejects every delivery with a RangeError where an option is out of range. See docs/webhooks.md, Verifying.
 */
export const verify = async (
  rawBody: string | Uint8Array,
  headers: RequestHeaders,
  secret: string | ReadonlyArray<string>,
  options: VerifyOptions = {}
): Promise<ReceivedEvent> => {
  const toleranceSeconds = numberOf("toleranceSeconds", options.toleranceSeconds ?? TOLERANCE_SECONDS_DEFAULT)
  const now = numberOf("now", options.now ?? Date.now())
  const signed = signedBy(headers, options.headerPrefix ?? "x-service")
  checkTime(signed.timestamp, toleranceSeconds, now)
  if (signed.signatures.length === 0) {
    throw new WebhookRefused("signature_malformed", "The signature header holds no signature of a known form")
  }
  const body = typeof rawBody === "string" ? utf8.encode(rawBody) : rawBody
  if (!(await matches(signed, body, typeof secret === "string" ? [secret] : secret))) {
    throw new WebhookRefused("signature_mismatch", "No signature is this body's under this secret")
  }
  return eventIn(body)
}
