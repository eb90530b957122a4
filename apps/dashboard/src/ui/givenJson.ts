/** JSON as somebody writes it. */

/** The later part of the standard, which browsers had before TypeScript's library has it. */
interface LaterJson {
  readonly parse: (
    text: string,
    revive: (name: string, value: unknown, context?: { readonly source?: string }) => unknown
  ) => unknown
  readonly rawJSON?: (text: string) => unknown
  readonly isRawJSON?: (value: unknown) => boolean
}

/**
 * The value of a text of JSON. All numbers but whole ones that a double holds exactly are sent in the digits that were written, where the
 * browser can, so that the service refuses what would be changed, with its place. Throws where the text is no JSON.
 */
export const givenJson = (text: string): unknown => {
  const later = JSON as LaterJson
  return later.parse(text, (_, value, context) => {
    const isKept = typeof value !== "number" || Number.isSafeInteger(value) || context?.source === undefined
    return isKept || later.rawJSON === undefined ? value : later.rawJSON(context.source)
  })
}

/** Whether such a value is an object: a number that is sent in its digits is held by one, too. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  (JSON as LaterJson).isRawJSON?.(value) !== true
