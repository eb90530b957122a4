/** JSON as somebody writes it. */

/** JSON as newer browsers have it, and TypeScript's library does not yet: it tells how a number was written, and can write it so again. */
interface LaterJson {
  readonly parse: (
    text: string,
    revive: (name: string, value: unknown, context?: { readonly source?: string }) => unknown
  ) => unknown
  readonly rawJSON?: (text: string) => unknown
  readonly isRawJSON?: (value: unknown) => boolean
}

/**
 * The value of a text of JSON. A number that a double may not hold exactly is sent in the digits that were written, where the browser can:
 * one that would become another number is then refused by the service, with its place. Throws where the text is no JSON.
 */
export const givenJson = (text: string): unknown => {
  const later = JSON as LaterJson
  return later.parse(text, (_, value, context) => {
    const isExact = typeof value !== "number" || Number.isSafeInteger(value) || context?.source === undefined
    return isExact || later.rawJSON === undefined ? value : later.rawJSON(context.source)
  })
}

/** Whether such a value is an object: a number that is sent in its digits is held by one, too. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  (JSON as LaterJson).isRawJSON?.(value) !== true
