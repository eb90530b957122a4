/** Keeps the secrets of a run out of everything that it leaves behind. */
import type { Schema } from "effect"
import { replaceKnown } from "./knownSecrets.ts"
import { redactText } from "./redact.ts"
import { mapTexts } from "./storable.ts"

/** Replaces secrets that are known by their value, and those that their form gives away. */
export interface Redactor {
  /** Makes further secrets known: each is replaced from now on. Values of less than 8 characters are not. */
  readonly add: (...secrets: ReadonlyArray<string>) => void
  /** Replaces both kinds in a text. */
  readonly text: (text: string) => string
  /** Replaces both kinds in every text of a value, names of members included. */
  readonly json: (value: Schema.Json) => Schema.Json
  /** Replaces known secrets only: text from a tool may look like a secret without being one. */
  readonly known: (text: string) => string
  /** Replaces known secrets only, in every text of a value. */
  readonly knownIn: (value: Schema.Json) => Schema.Json
}

/** A redactor that knows these secrets. */
export const makeRedactor = (...secrets: ReadonlyArray<string>): Redactor => {
  const all = new Set(secrets)
  // Built at the first use, and again after `add` brought a new secret.
  let replace: ((text: string) => string) | undefined
  const known = (text: string): string => {
    replace ??= replaceKnown(all)
    return replace(text)
  }
  const text = (given: string) => redactText(known(given)).text
  return {
    add: (...more) => {
      const before = all.size
      for (const secret of more) all.add(secret)
      if (all.size > before) replace = undefined
    },
    text,
    json: (value) => mapTexts(value, text),
    known,
    knownIn: (value) => mapTexts(value, known)
  }
}
