/** JSON as somebody writes it. */

/** Parts of JSON that newer browsers have and TypeScript's library has not: give the source of a number, and write it as it was. */
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
 * the service refuses it, and names its place, instead of taking another number. Throws where the text is no JSON.
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
