/**
 * The value of an API key: the prefix of its kind (`KeyForms`), 43 base62 digits (256 random bits), and 6 base62 digits of CRC32
 * over all that precedes them. The checksum shows typing errors and made-up keys without a query.
 */
import { Effect, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { KeyForms } from "./KeyForms.ts"

/** A workspace key reaches one workspace, an organization key every workspace of the organization. */
export const KeyKind = Schema.Literals(["workspace", "organization"])
export type KeyKind = typeof KeyKind.Type

/** The credential is no key value: it has another form, or its checksum does not match. */
export class MalformedCredential extends Schema.TaggedError<MalformedCredential>()("MalformedCredential", {}) {}

const utf8 = new TextEncoder()

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const SECRET_DIGITS = 43
const CHECKSUM_DIGITS = 6
const DIGITS_AFTER_PREFIX = SECRET_DIGITS + CHECKSUM_DIGITS
const AFTER_PREFIX = new RegExp(`^[0-9A-Za-z]{${DIGITS_AFTER_PREFIX}}$`)

const base62 = (value: bigint, digits: number): string => {
  let rest = value
  let text = ""
  for (let index = 0; index < digits; index++) {
    text = DIGITS.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}

/** CRC32 of ASCII text. */
const crc32 = (text: string): number => {
  let crc = -1
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), CHECKSUM_DIGITS)

/** A new key value of the given kind. */
export const generateKeyValue = (kind: KeyKind): Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> =>
  Effect.gen(function* () {
    const { [kind]: form } = yield* KeyForms
    const random = yield* SecureRandom.SecureRandom
    const bytes = yield* random.randomBytes(32)
    const number = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
    const body = form.prefix + base62(number, SECRET_DIGITS)
    return Redacted.make(body + checksum(body))
  })

/** The kind of key that a credential claims to be. Fails with MalformedCredential; costs no query. */
export const parseKeyValue = (credential: Redacted.Redacted): Effect.Effect<KeyKind, MalformedCredential> =>
  Effect.flatMap(KeyForms, ({ organization, workspace }) => {
    const value = Redacted.value(credential)
    const prefix = value.slice(0, -DIGITS_AFTER_PREFIX)
    const body = value.slice(0, -CHECKSUM_DIGITS)
    const isKnown = prefix === workspace.prefix || prefix === organization.prefix
    const isWhole = isKnown && AFTER_PREFIX.test(value.slice(prefix.length))
    if (!isWhole || checksum(body) !== value.slice(-CHECKSUM_DIGITS)) return Effect.fail(new MalformedCredential())
    return Effect.succeed(prefix === workspace.prefix ? "workspace" : "organization")
  })

/** The stored form of a value: its SHA-256 in hex. 256 random bits need no slower hash. */
export const hashKeyValue = (value: Redacted.Redacted): Effect.Effect<string, never, Digest.Digest> =>
  Effect.orDie(Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, utf8.encode(Redacted.value(value)))))

/** The part of a value that may be shown for ever: its prefix, four digits and the last four, as in `apk_ws_D3rG…oLaK`. */
export const hintOf = (value: Redacted.Redacted): string => {
  const text = Redacted.value(value)
  return `${text.slice(0, 4 - DIGITS_AFTER_PREFIX)}…${text.slice(-4)}`
}
