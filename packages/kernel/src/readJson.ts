/**
 * Reads the JSON of strangers: how deep it is nested is looked at before it is parsed, and so are integers that a double does not keep,
 * which `JSON.parse` changes without a word. RFC 8259, 6. A reviver of `JSON.parse` is handed each number as it was written, but takes
 * 80 times as long for many small ones, which would hold up all others for seconds.
 */
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  PLUS,
  POINT,
  QUOTE
} from "./jsonCharacters.ts"
import { NESTING_MAX } from "./nesting.ts"
import { endOfString, parseJsonWithin, TooManyEscapes } from "./parseJson.ts"

/** A place in JSON: names of members, and indices of items. */
export type JsonPath = ReadonlyArray<string | number>

/** A text of JSON as it is read, or why it cannot be. */
export type JsonRead =
  | {
      readonly value: unknown
      /** The place of the first number that reading has changed; undefined without one. */
      readonly changed: JsonPath | undefined
      readonly fault?: undefined
    }
  | { readonly value?: undefined; readonly changed?: undefined; readonly fault: JsonFault }

/** Most different names with a quote, a backslash or a control character in one text: each costs as much as twenty others. */
const ESCAPED_NAMES_MAX = 1_000

/** Why a text cannot be read, each as the end of a sentence that begins with the text. */
export const JSON_FAULTS = {
  not_json: "is not JSON",
  too_deep: `is nested deeper than ${NESTING_MAX} levels`,
  too_many_escapes: `has more than ${ESCAPED_NAMES_MAX} different names with a quote, a backslash or a control character`
} as const

type JsonFault = keyof typeof JSON_FAULTS

/** Longest place that a sentence names, in characters. */
const PLACE_LENGTH_MAX = 200

/** The end of a sentence that begins with the place of a number that reading has changed. */
export const CHANGED_NUMBER_FAULT =
  "must be a number that is kept as it is: send integers beyond 9007199254740991, and numbers beyond 1.79e308, as text"

/** Fewest characters of a number that reading can change, without an exponent and with one: shorter ones are not looked at. */
const CHANGEABLE_LENGTH = 16
const CHANGEABLE_EXPONENT_LENGTH = 5

/** Longest integer below the first that doubles write with an exponent, with its sign, in characters. */
const PLAIN_LENGTH_MAX = 22

/** Whether a number of JSON is an integer that is written in other digits once it is read, or one that is too large to be read. */
const isChanged = (written: string): boolean => {
  const isInteger = !/[.eE]/.test(written)
  if (isInteger && written.length > PLAIN_LENGTH_MAX) return true
  const read = Number(written)
  return isInteger ? !Number.isSafeInteger(read) && String(read) !== written : !Number.isFinite(read)
}

/** An open array or object, with the place in it that is being read. */
interface Open {
  readonly isArray: boolean
  index: number
  /** Where the name of the member begins and ends, its quotes included. */
  nameFrom: number
  nameTo: number
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

const isExponent = (code: number): boolean => code === 0x65 || code === 0x45

/** The first changed number in a text, by a list of indices and of names as they are written. "too_deep" for a text that is. */
const scan = (text: string): "too_deep" | ReadonlyArray<string | number> | undefined => {
  const open: Array<Open> = []
  let top: Open | undefined
  let changed: ReadonlyArray<string | number> | undefined
  let at = 0
  while (at < text.length) {
    const from = at
    const code = text.charCodeAt(at++)
    if (code === QUOTE) {
      at = endOfString(text, from)
      // A string that is a value is noted as well: the next member's name replaces it before a number can need it.
      if (top !== undefined) {
        top.nameFrom = from
        top.nameTo = at
      }
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      top = { isArray: code === OPEN_ARRAY, index: 0, nameFrom: from, nameTo: from }
      if (open.push(top) > NESTING_MAX) return "too_deep"
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      open.pop()
      top = open.at(-1)
    } else if (code === COMMA) {
      if (top !== undefined) top.index++
    } else if (code === MINUS || isDigit(code)) {
      let hasExponent = false
      for (let next = text.charCodeAt(at); ; next = text.charCodeAt(++at)) {
        if (isExponent(next)) hasExponent = true
        else if (!isDigit(next) && next !== POINT && next !== PLUS && next !== MINUS) break
      }
      const changeableLength = hasExponent ? CHANGEABLE_EXPONENT_LENGTH : CHANGEABLE_LENGTH
      if (changed === undefined && at - from >= changeableLength && isChanged(text.slice(from, at))) {
        changed = open.map((one) => (one.isArray ? one.index : text.slice(one.nameFrom, one.nameTo)))
      }
    }
  }
  return changed
}

/** Reads a text of JSON that is nested up to `NESTING_MAX` levels. Takes time in proportion to its length, whatever it is. */
export const readJson = (text: string): JsonRead => {
  const changed = scan(text)
  if (changed === "too_deep") return { fault: "too_deep" }
  try {
    const value = parseJsonWithin(text, ESCAPED_NAMES_MAX)
    return { value, changed: changed?.map((step) => (typeof step === "number" ? step : JSON.parse(step))) }
  } catch (error) {
    return { fault: error instanceof TooManyEscapes ? "too_many_escapes" : "not_json" }
  }
}

/** A sentence about a number that reading has changed, for who has sent it. */
export const changedNumberFault = (path: JsonPath): string => {
  const place = path.map((step) => `/${step}`).join("")
  return `${place.length > PLACE_LENGTH_MAX ? "a member of it" : place || "it"} ${CHANGED_NUMBER_FAULT}`
}
