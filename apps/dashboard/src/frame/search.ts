/** Reads the query of an address: what is not understood there counts as absent. */

/** One of the known values. */
export const oneOf = <Value extends string>(known: ReadonlyArray<Value>, given: unknown): Value | undefined =>
  known.find((one) => one === given)

/** A text that is not empty. The router reads `1` as a number and `true` as a boolean. */
export const text = (given: unknown): string | undefined =>
  given === undefined || given === null || given === "" || typeof given === "object" ? undefined : String(given)
