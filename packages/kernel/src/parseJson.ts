/**
 * `JSON.parse` without a fault of V8: once a process has seen an object with a name that ends in a backslash, V8 from 12.8 on reads an
 * escaped name in that place of a later object as that name, in anybody's text (nodejs/node#63785). So objects with escaped names are made
 * here, out of texts that V8 has found to be JSON. Decision 0084.
 */
import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  LINE_FEED,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  TAB
} from "./jsonCharacters.ts"

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

const behindSpace = (text: string, from: number): number => {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

/** Whether a name in a text of JSON has an escape. */
const hasEscapedName = (text: string): boolean => {
  let at = 0
  for (let escape = text.indexOf("\\"); escape !== -1; ) {
    const end = endOfString(text, text.indexOf('"', at))
    if (escape < end) {
      if (text.charCodeAt(behindSpace(text, end)) === COLON) return true
      escape = text.indexOf("\\", end)
    }
    at = end
  }
  return false
}

const isWord = (code: number): boolean =>
  !isSpace(code) && code !== COMMA && code !== CLOSE_ARRAY && code !== CLOSE_OBJECT

/** The value of a text that is JSON. */
const read = (text: string): unknown => {
  let at = 0
  const next = (): number => {
    at = behindSpace(text, at)
    return text.charCodeAt(at)
  }
  const string = (): string => {
    const from = at
    at = endOfString(text, from)
    return parse(text.slice(from, at))
  }
  /** Takes what stands between brackets, commas left out. */
  const list = <Item>(close: number, item: () => Item): Array<Item> => {
    const items: Array<Item> = []
    at++
    while (next() !== close) {
      if (text.charCodeAt(at) === COMMA) at++
      else items.push(item())
    }
    at++
    return items
  }
  const member = (): readonly [string, unknown] => {
    const name = string()
    next()
    at++
    return [name, value()]
  }
  const word = (): unknown => {
    const from = at
    while (at < text.length && isWord(text.charCodeAt(at))) at++
    return parse(text.slice(from, at))
  }
  const value = (): unknown => {
    const code = next()
    if (code === QUOTE) return string()
    if (code === OPEN_ARRAY) return list(CLOSE_ARRAY, value)
    return code === OPEN_OBJECT ? Object.fromEntries(list(CLOSE_OBJECT, member)) : word()
  }
  return value()
}

/** As `JSON.parse`. An object inside of another costs a call where names have escapes, so a text of strangers needs a bound of its depth. */
export const parseJson = (text: string): unknown => {
  const value: unknown = parse(text)
  return typeof value === "object" && value !== null && hasEscapedName(text) ? read(text) : value
}
