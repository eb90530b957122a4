/** Credentials that are damaged in every way that was thought of, and never by chance a good one. */

/** A repeatable sequence of numbers from 0 to below `bound`. */
export const numbers = (seed: number) => {
  let state = seed
  return (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

/** The credential headers of a request, and what is wrong with them. */
export interface Damaged {
  readonly kind: string
  readonly headers: string
}

type Next = (bound: number) => number

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const FOREIGN = "-_.=+/~!*'()$&,;:@%#?|^`{}[]<>\"\\ "
const UNICODE = ["é", "ß", "Ж", "日", "𝔸", "👾", "\u200b", "\u00a0", "\ufeff", "ａ", "à"]
const CONTROL = "\u0000\u0001\u0007\u0008\u000a\u000b\u000c\u000d\u001b\u001f\u007f"
const OVERSIZED_MAX = 20_000

const utf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

/**
 * Damages one of `keys` in a way that `next` chooses. Headers are texts of bytes (latin-1), as they go over the wire.
 */
export const makeDamage = (keys: ReadonlyArray<string>, next: Next): (() => Damaged) => {
  const oneOf = (characters: string | ReadonlyArray<string>) => characters[next(characters.length)] ?? ""
  const header = (value: string) =>
    oneOf([`Authorization: Bearer ${value}`, `Authorization: bearer  ${value}`, `X-API-Key: ${value}`])
  const putInto = (key: string, text: string) => {
    const at = 1 + next(key.length - 1)
    const damaged = key.slice(0, at) + text + key.slice(at + next(2))
    return damaged === key ? key + text : damaged
  }
  const wrongChecksum = (key: string) => {
    const at = key.lastIndexOf("_") + 1 + next(49)
    const digit = DIGITS[(DIGITS.indexOf(key.charAt(at)) + 1 + next(61)) % 62] ?? ""
    return key.slice(0, at) + digit + key.slice(at + 1)
  }
  const swapped = (key: string) =>
    key.startsWith("apk_ws_") ? key.replace("apk_ws_", "apk_org_") : key.replace("apk_org_", "apk_ws_")

  const kinds: Readonly<Record<string, (key: string) => string>> = {
    truncated: (key) => header(oneOf([key.slice(0, 1 + next(key.length - 1)), key.slice(1 + next(key.length - 1))])),
    "foreign alphabet": (key) => header(putInto(key, oneOf(FOREIGN))),
    "wrong checksum": (key) => header(oneOf([wrongChecksum(key), wrongChecksum(key), swapped(key)])),
    oversized: (key) =>
      header(
        oneOf([key, oneOf(DIGITS)])
          .repeat(2 + next(400))
          .slice(0, OVERSIZED_MAX) + oneOf(DIGITS).repeat(60)
      ),
    unicode: (key) => header(utf8(putInto(key, oneOf(UNICODE)))),
    "latin-1": (key) => header(putInto(key, String.fromCharCode(0x80 + next(128)))),
    "two headers": (key) =>
      oneOf([
        `Authorization: Bearer ${key}\r\nX-API-Key: ${wrongChecksum(key)}`,
        `Authorization: Bearer ${wrongChecksum(key)}\r\nX-API-Key: ${key}`,
        `Authorization: Bearer ${key}\r\nAuthorization: Bearer ${wrongChecksum(key)}`,
        `Authorization: Basic ${key}\r\nX-API-Key: ${key}`
      ]),
    empty: () =>
      oneOf(["Authorization:", "Authorization: Bearer", "Authorization: Bearer   ", "X-API-Key:", "X-API-Key:  \t "]),
    "control characters": (key) => {
      // Inside of the value, where neither the key before nor the one behind it is whole.
      const at = 8 + next(40)
      return header(`${key.slice(0, at)}${oneOf(CONTROL)}${key.slice(at)}`)
    }
  }
  const names = Object.keys(kinds)
  return () => {
    const kind = oneOf(names)
    return { kind, headers: kinds[kind]?.(oneOf(keys)) ?? "" }
  }
}
