/** The text of a statement outside of all brackets and literals: `with a as  select x from a`. */
const outermost = (text: string): string => {
  let depth = 0
  let left = ""
  for (const [piece] of text.matchAll(/'(?:[^']|'')*'|[()]|[^()']+/g)) {
    if (piece === "(") depth++
    else if (piece === ")") depth--
    else if (depth === 0 && !piece.startsWith("'")) left += piece
  }
  return left
}

/**
 * Whether a statement answers rows. Fails for one that answers rows and writes within a WITH besides: Postgres takes that at the
 * top alone, and so not as part of another.
 */
export const hasRows = (text: string): boolean => {
  const whole = outermost(text)
  const writes = /\b(insert|update|delete)\b/i.test(whole.replace(/\bfor (no key )?update\b/gi, ""))
  if (writes && !/\breturning\b/i.test(whole)) return false
  if (/\(\s*(insert|update|delete)\s/i.test(text)) {
    throw new Error(`A statement that writes within a WITH cannot answer rows to a host's client: ${text}`)
  }
  return true
}
