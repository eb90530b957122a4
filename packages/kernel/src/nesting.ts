/** How deep the JSON of strangers may be nested: what walks through it does so by recursion. */

/** Most levels of arrays and objects. */
export const NESTING_MAX = 100

/**
 * Makes a check that is given a text of JSON code by code, UTF-16 units or bytes of UTF-8, and returns true at a bracket that
 * is nested deeper than `NESTING_MAX`. The text may be several pieces of JSON, a line each.
 */
export const makeNestingCheck = (): ((code: number) => boolean) => {
  let depth = 0
  let inString = false
  let isEscaped = false
  return (code) => {
    if (code === 0x0a || code === 0x0d) {
      // A string of JSON ends on its line. What is no JSON must not hide the brackets that follow it.
      inString = false
      isEscaped = false
    } else if (inString) {
      if (isEscaped) isEscaped = false
      else if (code === 0x5c) isEscaped = true
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      return depth > NESTING_MAX
    } else if (code === 0x7d || code === 0x5d) depth = Math.max(0, depth - 1)
    return false
  }
}

/** Whether a text of JSON is nested deeper than `NESTING_MAX`. For before it is parsed. */
export const isTextTooDeep = (text: string): boolean => {
  const isTooDeepAt = makeNestingCheck()
  for (let index = 0; index < text.length; index++) if (isTooDeepAt(text.charCodeAt(index))) return true
  return false
}

/** Whether a value is nested deeper than so many levels. Looks no deeper than that. */
export const isTooDeep = (value: unknown, max = NESTING_MAX): boolean =>
  typeof value === "object" &&
  value !== null &&
  (max === 0 || Object.values(value).some((inner) => isTooDeep(inner, max - 1)))
