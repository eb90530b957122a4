/** Statements that return their rows as one text: each client reads values in a way of its own, but all read text alike. */

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
 * The statement that returns all rows of another as one JSON array, in the column `answer`; undefined for one that returns no rows.
 * `with a as (…) insert … returning id` becomes `with a as (…), answer as (insert … returning id) select …`: its own WITH stays at the
 * top, because Postgres lets no other WITH write.
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
