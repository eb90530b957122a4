/** Statements that answer their rows as one text: clients read values each in their own way, and a text all in the same. */

/** The pieces of a statement that are outside of all brackets and literals, with their places. */
const outermost = (text: string): ReadonlyArray<{ readonly index: number; readonly piece: string }> => {
  let depth = 0
  return [...text.matchAll(/'(?:[^']|'')*'|[()]|[^()']+/g)].flatMap(({ 0: piece, index }) => {
    if (piece === "(") depth++
    else if (piece === ")") depth--
    else if (depth === 0 && !piece.startsWith("'")) return [{ index, piece }]
    return []
  })
}

/**
 * The statement that answers the rows of another as a JSON array in `answer`, however many it has; undefined for one that answers
 * none. What a WITH of it writes stays at the top, where alone Postgres takes it.
 */
export const answering = (text: string): string | undefined => {
  const pieces = outermost(text)
  const found = pieces.flatMap(({ index, piece }) => {
    const verb = /\b(?:select|insert|update|delete)\b/i.exec(piece)
    return verb === null ? [] : [{ start: index + verb.index, isSelect: verb[0].toLowerCase() === "select" }]
  })[0]
  if (found === undefined) return undefined
  if (!found.isSelect && !pieces.some(({ piece }) => /\breturning\b/i.test(piece))) return undefined
  const before = text.slice(0, found.start).trim()
  const withs = before === "" ? "with" : `${before},`
  return `${withs} answer as (${text.slice(found.start)}) select coalesce(json_agg(answer), '[]')::text as answer from answer`
}
