/** Chooses the format or coding that a caller prefers. RFC 9110, 12.5.1 and 12.5.3. */

interface Range {
  readonly type: string
  readonly quality: number
}

const parseRange = (text: string): Range => {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
  const given = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
  const quality = given === undefined ? 1 : Number(given)
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

const isAny = (range: string): boolean => range === "*/*" || range === "*"

const matches = (range: string, type: string): boolean =>
  isAny(range) || range === type || (range.endsWith("/*") && type.startsWith(range.slice(0, -1)))

/** How exactly a range names a type; the most exact range counts. */
const closeness = (range: string): number => (isAny(range) ? 0 : range.endsWith("/*") ? 1 : 2)

const qualityOf = (ranges: ReadonlyArray<Range>, type: string): number => {
  const fitting = ranges.filter((range) => matches(range.type, type))
  const closest = Math.max(...fitting.map((range) => closeness(range.type)))
  return Math.max(0, ...fitting.filter((range) => closeness(range.type) === closest).map((range) => range.quality))
}

/** The most preferred of `offered`, and the first of equals; undefined when the caller accepts none of them. */
export const preferred = <const Type extends string>(
  accept: string | undefined,
  offered: ReadonlyArray<Type>
): Type | undefined => {
  if (accept === undefined || accept.trim() === "") return offered[0]
  const ranges = accept
    .split(",")
    .filter((part) => part.trim() !== "")
    .map(parseRange)
  let best: { readonly type: Type; readonly quality: number } | undefined
  for (const type of offered) {
    const quality = qualityOf(ranges, type)
    if (quality > 0 && (best === undefined || quality > best.quality)) best = { type, quality }
  }
  return best?.type
}
