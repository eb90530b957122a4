/** How deep the JSON of strangers may be nested: what walks through it does so by recursion. */
import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  LINE_FEED,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE
} from "./jsonCharacters.ts"

/** Most levels of arrays and objects. */
export const NESTING_MAX = 100

/**
 * Makes a check that is given a stream of JSON byte by byte, and returns true at a bracket that is nested deeper than `NESTING_MAX`. The
 * stream may be several pieces of JSON, a line each.
 */
export const makeNestingCheck = (): ((code: number) => boolean) => {
  let depth = 0
  let inString = false
  let isEscaped = false
  return (code) => {
    if (code === LINE_FEED || code === CARRIAGE_RETURN) {
      // A string of JSON ends on its line. What is no JSON must not hide the brackets that follow it.
      inString = false
      isEscaped = false
    } else if (inString) {
      if (isEscaped) isEscaped = false
      else if (code === BACKSLASH) isEscaped = true
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1
      return depth > NESTING_MAX
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth = Math.max(0, depth - 1)
    return false
  }
}

/** Whether a value is nested deeper than so many levels. Looks no deeper than that. */
export const isTooDeep = (value: unknown, max = NESTING_MAX): boolean =>
  typeof value === "object" &&
  value !== null &&
  (max === 0 || Object.values(value).some((inner) => isTooDeep(inner, max - 1)))
