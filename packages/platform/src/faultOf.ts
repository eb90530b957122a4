import { Cause, Predicate } from "effect"

/** How many nested causes are followed. */
const DEPTH_MAX = 6

/** The cause in a line: the message of the innermost error, which says what actually failed. */
export const faultOf = (cause: Cause.Cause<unknown>): string => {
  let error = Cause.squash(cause)
  let said = error instanceof Error ? error.message : String(error)
  for (let depth = 0; depth < DEPTH_MAX && Predicate.hasProperty(error, "cause"); depth++) {
    error = error.cause
    if (error instanceof Error && error.message !== "") said = error.message
  }
  return said.replaceAll(/\s+/g, " ")
}
