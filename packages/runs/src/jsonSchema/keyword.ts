import { Data } from "effect"
import { type Check, isObject, type Json, type JsonObject, type Path } from "./Check.ts"

/** Something in a schema cannot be checked. Thrown while a schema is compiled. */
export class SchemaFlaw extends Data.Error<{
  /** Its place in the schema. */
  readonly path: Path
  /** The requirement that is not met, as the end of a sentence that begins with the place. */
  readonly detail: string
}> {}

/** The surroundings of a keyword in its schema. */
export interface KeywordContext {
  /** The place of the keyword. */
  readonly path: Path
  readonly siblings: JsonObject
  /** The check of a schema that is part of this one. */
  readonly compile: (schema: Json, path: Path) => Check
  /** The check of the schema that a reference leads to. */
  readonly refer: (reference: string) => Check
  /**
   * Whether no keyword of the whole schema is ignored; known once all of it is compiled. Where one is, a value that passes a check may
   * not fit its schema, so no keyword may refuse a value because another schema accepts it.
   */
  readonly isExact: () => boolean
}

/** Makes a keyword's check from its argument. */
export type Keyword = (argument: Json, context: KeywordContext) => Check

export type Keywords = ReadonlyMap<string, Keyword>

type At = Pick<KeywordContext, "path">

export const refused = ({ path }: At, detail: string): never => {
  throw new SchemaFlaw({ path, detail })
}

export const numberOf = (argument: Json, context: At): number =>
  typeof argument === "number" ? argument : refused(context, "must be a number")

export const countOf = (argument: Json, context: At): number =>
  typeof argument === "number" && Number.isInteger(argument) && argument >= 0
    ? argument
    : refused(context, "must be a whole number from 0")

export const listOf = (argument: Json, context: At): ReadonlyArray<Json> =>
  Array.isArray(argument) ? argument : refused(context, "must be a list")

export const namesOf = (argument: Json, context: At): ReadonlyArray<string> =>
  listOf(argument, context).map((name) =>
    typeof name === "string" ? name : refused(context, "must be a list of names")
  )

export const membersOf = (argument: Json, context: At): ReadonlyArray<readonly [string, Json]> =>
  isObject(argument) ? Object.entries(argument) : refused(context, "must be an object")
