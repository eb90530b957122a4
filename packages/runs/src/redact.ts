/** Finds secrets in texts by their form. Secrets that are known by value are found by `knownSecrets.ts`. */
import type { Schema } from "effect"

/** One place where something was redacted. */
export interface Redaction {
  /** Where: a JSON pointer. */
  readonly pointer: string
  /** The kind of secret that it looked like. */
  readonly kind: string
  /** How often, in this place. */
  readonly count: number
}

/** A pattern with a `sign` is tried only where the sign is found. */
type Patterns = ReadonlyArray<readonly [kind: string, pattern: RegExp, sign?: RegExp]>

/** The forms of credentials that are known by themselves, the more specific ones first. */
const CREDENTIALS: Patterns = [
  ["private_key", /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g],
  ["api_key", /\bapk_(?:ws|org)_[0-9A-Za-z]{20,}/g],
  ["attempt_token", /\bagt_v1\.[0-9A-Za-z._-]{40,}/g],
  ["webhook_secret", /\bwhsec_[0-9A-Za-z+/_=-]{8,}/g],
  ["provider_key", /\bsk-[0-9A-Za-z_-]{16,}/g],
  ["provider_key", /\bAIza[0-9A-Za-z_-]{30,}/g],
  ["provider_key", /\b(?:gsk|xai|hf|r8|pplx)[_-][0-9A-Za-z]{20,}/g],
  ["payment_key", /\b[sr]k_(?:live|test)_[0-9A-Za-z]{10,}/g],
  ["access_token", /\b(?:gh[pousr]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,}|glpat-[0-9A-Za-z_-]{16,})/g],
  ["access_token", /\bxox[a-z]-[0-9A-Za-z-]{10,}/g],
  ["access_key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ["json_web_token", /(?<![0-9A-Za-z_-])eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*/g]
]

/**
 * The forms of secrets that are known by the text around them, each with a sign of that text. Looking back from every letter takes
 * ten times as long as all other patterns together, so it is done only where the sign is found.
 */
const IN_CONTEXT: Patterns = [
  ["inbound_url", /(?<=\/api\/v1\/hooks\/[0-9a-f-]{36}\/)[0-9A-Za-z_-]{20,}/g, /\/api\/v1\/hooks\//],
  ["bearer_token", /(?<=\bBearer\s{1,8})[0-9A-Za-z._~+/=-]{8,}/gi, /Bearer/i],
  ["basic_credentials", /(?<=\bBasic\s{1,8})[0-9A-Za-z+/]{12,}={0,2}/g, /Basic/],
  ["password_in_url", /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}(?=@)/gi, /:\/\//]
]

/** The shortest text that one of the patterns can be found in, in characters. */
const SHORTEST = 8

/** A text without secrets, and how many of each kind there were. */
interface RedactedText {
  readonly text: string
  readonly found: ReadonlyMap<string, number>
}

const replace = (text: string, patterns: Patterns): RedactedText => {
  const found = new Map<string, number>()
  if (text.length < SHORTEST) return { text, found }
  let redacted = text
  for (const [kind, pattern, sign] of patterns) {
    if (sign?.test(redacted) === false) continue
    redacted = redacted.replaceAll(pattern, () => {
      found.set(kind, (found.get(kind) ?? 0) + 1)
      return `[redacted: ${kind}]`
    })
  }
  return { text: redacted, found }
}

const ALL = [...CREDENTIALS, ...IN_CONTEXT]

/** The text with each secret replaced by what kind it was, and how many of each kind there were. */
export const redactText = (text: string): RedactedText => replace(text, ALL)

/** As `redactText`, but only for credentials that are known without the text around them: for short texts such as names. */
export const redactCredentials = (text: string): RedactedText => replace(text, CREDENTIALS)

const escape = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1")

/**
 * A JSON value without the secrets in its texts and in the names of its members, and where there were some; `at` is where the
 * value itself stands.
 */
export const redact = (
  value: Schema.Json,
  at = ""
): { readonly value: Schema.Json; readonly redactions: ReadonlyArray<Redaction> } => {
  const redactions: Array<Redaction> = []
  const clean = (text: string, pointer: string): string => {
    const { found, text: cleaned } = redactText(text)
    for (const [kind, count] of found) redactions.push({ pointer, kind, count })
    return cleaned
  }
  const walk = (inner: Schema.Json, pointer: string): Schema.Json => {
    if (typeof inner === "string") return clean(inner, pointer)
    if (Array.isArray(inner)) return inner.map((item, index) => walk(item, `${pointer}/${index}`))
    if (typeof inner !== "object" || inner === null) return inner
    return Object.fromEntries(
      Object.entries(inner).map(([name, member]) => {
        const cleaned = clean(name, pointer)
        return [cleaned, walk(member, `${pointer}/${escape(cleaned)}`)]
      })
    )
  }
  return { value: walk(value, at), redactions }
}
