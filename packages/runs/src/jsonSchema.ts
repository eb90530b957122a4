/** The JSON Schemas that agents ask their inputs to fit, and questions their answers. */
import { JsonPointer, type Schema } from "effect"
import { type Difference, isObject, Steps, TooManySteps } from "./jsonSchema/Check.ts"
import { compile } from "./jsonSchema/compile.ts"
import { SchemaFlaw } from "./jsonSchema/keyword.ts"

/** Most steps of a check: some 40 ms of work. */
const STEPS_MAX = 1_000_000

/** Longest description of a difference, in characters. */
const DETAIL_LENGTH_MAX = 500

/** The reason why values cannot be checked by a JSON Schema (2020-12), and its place; undefined where they can. */
export const schemaFlawOf = (schema: Schema.Json): Pick<SchemaFlaw, "path" | "detail"> | undefined => {
  try {
    compile(schema, new Steps(STEPS_MAX))
    return undefined
  } catch (cause) {
    if (cause instanceof SchemaFlaw) return cause
    if (cause instanceof TooManySteps) return { path: [], detail: "takes too many steps to check" }
    throw cause
  }
}

const pointerOf = ({ path }: Difference): string =>
  path
    .toReversed()
    .map((step) => `/${JsonPointer.escapeToken(String(step))}`)
    .join("")

const describe = (difference: Difference): string =>
  `${pointerOf(difference) || "it"} ${difference.detail}`.slice(0, DETAIL_LENGTH_MAX)

/** How a value differs from a schema. */
export interface Mismatch {
  /** The place in the value, outermost first. */
  readonly path: ReadonlyArray<string | number>
  /** A sentence about it, which begins with the place. */
  readonly detail: string
}

/**
 * How a value differs from a JSON Schema (2020-12), or that it takes more than `stepsMax` steps to say; undefined where it does
 * not differ, and for a schema that has a flaw. docs/agents.md says what is checked.
 */
export const mismatchIn = (schema: Schema.Json, value: Schema.Json, stepsMax = STEPS_MAX): Mismatch | undefined => {
  if (schema === null) return undefined
  const steps = new Steps(stepsMax)
  try {
    const difference = compile(schema, steps)(value, steps)
    return difference === undefined ? undefined : { path: difference.path.toReversed(), detail: describe(difference) }
  } catch (cause) {
    if (cause instanceof SchemaFlaw) return undefined
    if (cause instanceof TooManySteps) return { path: [], detail: `it cannot be checked within ${stepsMax} steps` }
    throw cause
  }
}

/** The sentence of `mismatchIn` alone. */
export const mismatchDetail = (schema: Schema.Json, value: Schema.Json, stepsMax = STEPS_MAX): string | undefined =>
  mismatchIn(schema, value, stepsMax)?.detail

/**
 * How the data of a reply differs from the schema in the member `schema` of the question's interrupt; undefined where it does
 * not, and where nothing is asked for or given.
 */
export const interruptMismatchOf = (interrupt: Schema.Json, data: Schema.Json | undefined): Mismatch | undefined =>
  data === undefined || !isObject(interrupt) ? undefined : mismatchIn(interrupt["schema"] ?? null, data)
