import { JsonPointer } from "effect"
import { APPLICATORS } from "./applicators.ts"
import { ASSERTIONS } from "./assertions.ts"
import { type Check, differs, isObject, type Json, type JsonObject, type Path, type Steps } from "./Check.ts"
import { membersOf, refused } from "./keyword.ts"

/** Keywords that change whether a value fits and are not implemented: a schema that has one is refused. */
const UNSUPPORTED = ["$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties"]

/** Keywords that are ignored: a pattern that a stranger wrote could keep this process busy for ever. */
const UNCHECKED = ["pattern", "patternProperties"]

/** Steps for each schema, and for each of its keywords beside the items that it lists. */
const SCHEMA_STEPS = 10

const ANCHORS = ["$anchor", "$dynamicAnchor"]

const fits: Check = (_, steps) => {
  steps.take(1)
  return undefined
}
const refuses: Check = (_, steps) => {
  steps.take(1)
  return differs("must not be there")
}

/** The schema behind a JSON pointer in a fragment; undefined where there is none. */
const follow = (root: Json, pointer: string): { readonly schema: Json; readonly path: Path } | undefined => {
  const path = pointer.split("/").slice(1).map(JsonPointer.unescapeToken)
  let schema: Json = root
  for (const name of path) {
    if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, name)) return undefined
    schema = (schema as JsonObject)[name] as Json
  }
  return { schema, path }
}

const decoded = (fragment: string): string | undefined => {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}

/**
 * The check that a JSON Schema (2020-12) describes. Throws SchemaFlaw for one that is not valid or cannot be checked, and
 * TooManySteps.
 */
export const compile = (root: Json, steps: Steps): Check => {
  // A schema may refer to itself, so its list of checks is known before it is filled.
  const known = new Map<JsonObject, Array<Check>>()
  const anchors = new Map<string, JsonObject>()
  // References may lead to anchors further on, so they are resolved once the whole schema is compiled.
  const unresolved: Array<() => void> = []
  let isExact = true

  const targetOf = (reference: string, path: Path): Check => {
    const fragment = reference.startsWith("#") ? decoded(reference.slice(1)) : undefined
    const anchored = fragment === undefined ? undefined : anchors.get(fragment)
    if (anchored !== undefined) return compileAt(anchored, [])
    const target = fragment === "" || fragment?.startsWith("/") ? follow(root, fragment) : undefined
    if (target === undefined) return refused({ path }, "must refer to a schema inside of this one, such as #/$defs/a")
    return compileAt(target.schema, target.path)
  }

  const refer = (path: Path, reference: string): Check => {
    const target: Array<Check> = []
    unresolved.push(() => target.push(targetOf(reference, path)))
    return (value, steps) => {
      steps.take(1)
      return target[0]?.(value, steps)
    }
  }

  const inspect = (schema: JsonObject, path: Path): void => {
    for (const keyword of UNSUPPORTED) {
      if (keyword in schema) refused({ path: [...path, keyword] }, "is not supported")
    }
    if (schema !== root && "$id" in schema) refused({ path: [...path, "$id"] }, "is supported at the root alone")
    for (const keyword of UNCHECKED) if (keyword in schema) isExact = false
    for (const keyword of ANCHORS) {
      const name = schema[keyword]
      if (typeof name === "string") anchors.set(name, schema)
    }
    const definitions = { path: [...path, "$defs"] }
    for (const [name, definition] of membersOf(schema["$defs"] ?? {}, definitions)) {
      compileAt(definition, [...definitions.path, name])
    }
  }

  const compileAt = (schema: Json, path: Path): Check => {
    if (typeof schema === "boolean") return schema ? fits : refuses
    if (!isObject(schema)) return refused({ path }, "must be a schema: an object, true or false")
    const checks = known.get(schema) ?? []
    const check: Check = (value, steps) => steps.apply(checks, value)
    if (known.has(schema)) return check
    known.set(schema, checks)
    steps.take(SCHEMA_STEPS)
    inspect(schema, path)
    // Assertions first: they take few steps, where applicators go through all that is inside of the value.
    for (const keywords of [ASSERTIONS, APPLICATORS]) {
      for (const [name, argument] of Object.entries(schema)) {
        const keyword = keywords.get(name)
        if (keyword === undefined) continue
        steps.take(SCHEMA_STEPS + (Array.isArray(argument) ? argument.length : 0))
        const at = [...path, name]
        checks.push(
          keyword(argument, {
            path: at,
            siblings: schema,
            compile: compileAt,
            refer: (reference) => refer(at, reference),
            isExact: () => isExact
          })
        )
      }
    }
    return check
  }

  const check = compileAt(root, [])
  // Resolving a reference may add others at the end of the list, which this loop comes to as well.
  for (const resolve of unresolved) resolve()
  return check
}
