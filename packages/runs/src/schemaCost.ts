/** What it takes to check values by a JSON Schema that somebody wrote. */
import type { Schema } from "effect"

type Json = Schema.Json

/** Most schemas that a schema may come to with its references followed. */
const SCHEMAS_MAX = 2_000

/** Members that hold schemas which all are asked about the same place. */
const SAME_PLACE = ["allOf", "anyOf", "oneOf"]

/** Members that hold schemas by name or number, each of which is asked about a place of its own. */
const OWN_PLACES = ["properties", "prefixItems"]

/** Members that hold a schema which is asked about places that others may be asked about as well. */
const OTHER_PLACES = ["items", "additionalProperties", "contains", "propertyNames", "unevaluatedItems"]

const isObject = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const schemasIn = (value: Json | undefined): ReadonlyArray<Json> =>
  typeof value === "object" && value !== null ? Object.values(value) : []

/** What a reference leads to inside of the document; undefined elsewhere. */
const follow = (root: Json, reference: string): Json | undefined => {
  if (!reference.startsWith("#")) return undefined
  let found: Json | undefined = root
  for (const part of reference.slice(1).split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~")
    found = isObject(found) ? found[name] : undefined
  }
  return found
}

/**
 * Whether a value can be checked by the schema in a time that grows as the value does. Not so, where its references come to more
 * than 2,000 schemas, where it leads to itself without going deeper into the value, or where it leads to itself more than
 * once for the same place: each level of a value would then take twice as long as the one above it.
 */
export const isCheapToCheck = (schema: Json): boolean => {
  let left = SCHEMAS_MAX
  /** How often the schemas on the way here may be come back to for one place; infinite for a schema that takes too long. */
  const returns = (one: Json | undefined, way: ReadonlyArray<Json>, here: ReadonlyArray<Json>): number => {
    if (--left < 0) return Number.POSITIVE_INFINITY
    if (!isObject(one)) return 0
    if (here.includes(one)) return Number.POSITIVE_INFINITY
    if (way.includes(one)) return 1
    const [further, same] = [
      [...way, one],
      [...here, one]
    ]
    const deeper = (inner: Json): number => returns(inner, further, [])
    let sum = 0
    for (const name of SAME_PLACE) for (const inner of schemasIn(one[name])) sum += returns(inner, further, same)
    const reference = one["$ref"]
    if (typeof reference === "string") sum += returns(follow(schema, reference), further, same)
    for (const name of OTHER_PLACES) sum += deeper(one[name] ?? null)
    for (const name of OWN_PLACES) sum += Math.max(0, ...schemasIn(one[name]).map(deeper))
    for (const inner of schemasIn(one["patternProperties"])) sum += deeper(inner)
    return sum > 1 ? Number.POSITIVE_INFINITY : sum
  }
  return Number.isFinite(returns(schema, [], []))
}
