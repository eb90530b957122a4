/** Words of the machinery, which the domains do not speak outside of their workers' engines. A pure function over text. */

import type { TextFile } from "./boundaries.ts"
import { domains } from "./packages.ts"

/** Each subject with what it is recognised by, in code and comments alike. */
const SUBJECTS: Readonly<Record<string, RegExp>> = {
  V8: /\bV8\b/g,
  garbage: /\b(?:garbage|GC|collector)\b/gi,
  "round trips": /\bround[-\s]+trips?\b/gi,
  statements: /\bstatements?\b/gi,
  "row locks": /\brow[-\s]+locks?\b|\block(?:s|ed|ing)?\s+(?:\w+\s+)?rows?\b/gi,
  "how many processes there are": /\b(?:\d+|two|three|several|number\s+of)\s+processes\b|\bprocesses\s+there\s+are\b/gi
}

const DOMAIN = new RegExp(`^packages/(?:${domains.join("|")})/src/(?!(?:.*/)?worker/)`)

/** A comment's gutter made white, so that words are found across its lines, with every character at its place. */
const withoutGutters = (text: string): string =>
  text.replaceAll(/\n[ \t]*(?:\*|\/\/)/g, (gutter) => `\n${" ".repeat(gutter.length - 1)}`)

/** Where a file of a domain, outside of its worker's engine, speaks of the machinery, by line. */
export const engineWords = ({ path, text }: TextFile): ReadonlyArray<string> => {
  if (!DOMAIN.test(path)) return []
  const plain = withoutGutters(text)
  return Object.entries(SUBJECTS)
    .flatMap(([subject, words]) => Array.from(plain.matchAll(words), ({ index }) => ({ index, subject })))
    .sort((a, b) => a.index - b.index)
    .map(({ index, subject }) => `${path}:${plain.slice(0, index).split("\n").length} speaks of ${subject}`)
}

/** Where any of the files speaks of the machinery. */
export const allEngineWords = (files: ReadonlyArray<TextFile>): ReadonlyArray<string> => files.flatMap(engineWords)
