/** The part of a provider key's value that may be shown, and of a provider's error code, which must repeat no part of the key. */
import { Fingerprints } from "@agent-platform/kernel"
import { Effect, Redacted } from "effect"

/** Most characters of a value that are shown at each end. Both ends together are never more than a quarter of it. */
const SHOWN_MAX = 4

/** The part of a value that may be kept and shown: up to four characters of each end, and none of a value shorter than eight. */
export const providerKeyHint = (value: Redacted.Redacted): string => {
  const text = Redacted.value(value)
  const shown = Math.min(SHOWN_MAX, Math.floor(text.length / 8))
  return shown === 0 ? "…" : `${text.slice(0, shown)}…${text.slice(-shown)}`
}

/** The first 16 hexadecimal digits of the value's fingerprint. Not to be made inside a transaction. */
export const providerKeyFingerprint = (value: Redacted.Redacted): Effect.Effect<string, never, Fingerprints> =>
  Effect.map(
    Fingerprints.use(({ of }) => of("provider_key", new TextEncoder().encode(Redacted.value(value)))),
    (fingerprint) => fingerprint.slice(0, 16)
  )

/** The form of providers' error codes, such as `invalid_api_key`. Any other text could hold anything. */
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/

/** A part of a value of this many characters does not appear elsewhere by chance. */
const REVEALING = 8

/** A text without its case and separators. A text that differs in these alone still reveals the secret. */
const bare = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/**
 * The error code of a provider's answer, if it can be shown. Null for a text that is no code or holds a part of the key, since a
 * provider may repeat what it was sent.
 */
export const shownProviderCode = (code: unknown, value: Redacted.Redacted): string | null => {
  if (typeof code !== "string" || !CODE.test(code)) return null
  const [secret, shown] = [bare(Redacted.value(value)), bare(code)]
  const length = Math.min(REVEALING, secret.length)
  for (let start = 0; start + length <= shown.length; start++) {
    if (secret.includes(shown.slice(start, start + length))) return null
  }
  return code
}
