/**
 * `JSON.parse` without a fault of V8: once a process has seen an object with a name that ends in a backslash, V8 from 12.8 on reads an
 * escaped name in that place of a later object as that name, in anybody's text (nodejs/node#63785). So V8 is given texts without
 * escaped names: names that need no escape are written without, the others are put back into the value. Decision 0084.
 */
import { BACKSLASH, CARRIAGE_RETURN, COLON, LINE_FEED, SPACE, TAB } from "./jsonCharacters.ts"

/** V8's own, also where `JSON.parse` was made to be the function below. */
const parse = JSON.parse

/** Where a string ends that begins here: behind its last quote, or with the text. */
export const endOfString = (text: string, from: number): number => {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at + 1
  }
  return text.length
}

const isSpace = (code: number): boolean =>
  code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB

/** Whether a string that ends here is the name of a member. */
const isName = (text: string, end: number): boolean => {
  let at = end
  while (isSpace(text.charCodeAt(at))) at++
  return text.charCodeAt(at) === COLON
}

/** More names that need an escape than are read. */
export class TooManyEscapes extends Error {}

/** Text that a text does not hold. With a number behind it, it stands in for a name that cannot be written without an escape. */
const standInFor = (text: string): string => {
  const taken = new Set(text.match(/~\d+(?=~)/g))
  let count = 0
  while (taken.has(`~${count}`)) count++
  return `~${count}~`
}

/** The text with names that have no escapes, and the names by what stands in for them. Throws TooManyEscapes above `standInsMax` of those. */
const withoutEscapedNames = (text: string, standInsMax: number) => {
  const standIn = standInFor(text)
  const names = new Map<string, string>()
  /** Names without escapes, by those with them, quotes included. */
  const written = new Map<string, string>()
  const standIns = new Map<string, string>()
  const unescaped = (name: string): string => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
    if (!/[\u0000-\u001f"\\]/.test(name) && !name.includes(standIn)) return name
    const known = standIns.get(name) ?? `${standIn}${standIns.size}`
    standIns.set(name, known)
    if (standIns.size > standInsMax) throw new TooManyEscapes()
    names.set(known, name)
    return known
  }
  const writtenFor = (escaped: string): string => {
    const known = written.get(escaped) ?? `"${unescaped(parse(escaped))}"`
    written.set(escaped, known)
    return known
  }
  const pieces: Array<string> = []
  let kept = 0
  let at = 0
  for (let escape = text.indexOf("\\"); escape !== -1; ) {
    const from = text.indexOf('"', at)
    if (from === -1) break
    const end = endOfString(text, from)
    if (escape < end) {
      if (isName(text, end)) {
        pieces.push(text.slice(kept, from), writtenFor(text.slice(from, end)))
        kept = end
      }
      escape = text.indexOf("\\", end)
    }
    at = end
  }
  pieces.push(text.slice(kept))
  return { names, text: pieces.join("") }
}

/** The value with its own names again. */
const renamed = (value: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (typeof item === "object") value[index] = renamed(item, names)
    }
    return value
  }
  const entries = Object.entries(value)
  let isAnother = false
  for (const entry of entries) {
    const [name, inner] = entry
    entry[0] = names.get(name) ?? name
    entry[1] = renamed(inner, names)
    isAnother ||= entry[0] !== name || entry[1] !== inner
  }
  return isAnother ? Object.fromEntries(entries) : value
}

/** As `parseJson`; throws TooManyEscapes where more than so many names need an escape. */
export const parseJsonWithin = (text: string, escapedNamesMax: number): unknown => {
  if (!text.includes("\\")) return parse(text)
  const plain = withoutEscapedNames(text, escapedNamesMax)
  const value: unknown = parse(plain.text)
  return plain.names.size === 0 ? value : renamed(value, plain.names)
}

/**
 * As `JSON.parse`. Where names have escapes, each level of a text costs a call, and each name as much as twenty others: texts of strangers
 * are read by `readJson`, which bounds both.
 */
export const parseJson = (text: string): unknown => parseJsonWithin(text, Number.POSITIVE_INFINITY)
