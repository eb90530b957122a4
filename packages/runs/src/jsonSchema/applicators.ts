/** Keywords that apply schemas to the value, its items or its members. JSON Schema 2020-12, Applicators. */
import { type Check, differs, firstOf, isObject, type Json, whenPresent, within } from "./Check.ts"
import { countOf, type Keyword, type KeywordContext, type Keywords, listOf, membersOf, refused } from "./keyword.ts"

/** The check of the one schema that a keyword has. */
const one: Keyword = (argument, context) => context.compile(argument, context.path)

/** The checks of the schemas that a keyword lists. */
const several = (argument: Json, context: KeywordContext): ReadonlyArray<Check> =>
  listOf(argument, context).map((schema, index) => context.compile(schema, [...context.path, index]))

/** The checks of the schemas that a keyword has by name. */
const named = (argument: Json, context: KeywordContext): ReadonlyArray<readonly [string, Check]> =>
  membersOf(argument, context).map(([name, schema]) => [name, context.compile(schema, [...context.path, name])])

/** The check of a sibling keyword; undefined where it is not there. */
const sibling = (keyword: string, { compile, path, siblings }: KeywordContext): Check | undefined => {
  const schema = siblings[keyword]
  return schema === undefined ? undefined : compile(schema, [...path.slice(0, -1), keyword])
}

const $ref: Keyword = (argument, context) =>
  typeof argument === "string" ? context.refer(argument) : refused(context, "must be a reference")

const allOf: Keyword = (argument, context) => {
  const checks = several(argument, context)
  return (value, steps) => firstOf(checks, (check) => check(value, steps))
}

const anyOf: Keyword = (argument, context) => {
  const checks = several(argument, context)
  return (value, steps) =>
    checks.some((check) => check(value, steps) === undefined)
      ? undefined
      : differs("must fit one of the schemas that anyOf lists")
}

/**
 * While a keyword somewhere is ignored (`isExact` is false), a schema accepts values that do not fit it. So here and below nothing is
 * refused because a schema accepts it.
 */
const oneOf: Keyword = (argument, context) => {
  const checks = several(argument, context)
  return (value, steps) => {
    let fitting = 0
    for (const check of checks) if (check(value, steps) === undefined) fitting++
    return fitting === 1 || (fitting > 1 && !context.isExact())
      ? undefined
      : differs("must fit exactly one of the schemas that oneOf lists")
  }
}

const not: Keyword = (argument, context) => {
  const check = one(argument, context)
  return (value, steps) =>
    context.isExact() && check(value, steps) === undefined ? differs("must not fit the schema in not") : undefined
}

const conditional: Keyword = (argument, context) => {
  const condition = one(argument, context)
  const whenTrue = sibling("then", context)
  const whenFalse = sibling("else", context)
  return (value, steps) => {
    if (!context.isExact()) return undefined
    return (condition(value, steps) === undefined ? whenTrue : whenFalse)?.(value, steps)
  }
}

/** Checks a list's items from the index `from` to before `to`. */
const eachItem = (check: (index: number) => Check, from: number, to: number): Check => {
  return (value, steps) => {
    if (!Array.isArray(value)) return undefined
    const end = Math.min(to, value.length)
    for (let index = from; index < end; index++) {
      steps.take(1)
      const difference = within(index, check(index)(value[index] as Json, steps))
      if (difference !== undefined) return difference
    }
    return undefined
  }
}

const prefixItems: Keyword = (argument, context) => {
  const checks = several(argument, context)
  return eachItem((index) => checks[index] as Check, 0, checks.length)
}

const items: Keyword = (argument, context) => {
  const check = one(argument, context)
  const prefix = context.siblings["prefixItems"]
  return eachItem(() => check, Array.isArray(prefix) ? prefix.length : 0, Number.POSITIVE_INFINITY)
}

const contains: Keyword = (argument, context) => {
  const check = one(argument, context)
  const at = (keyword: string) => ({ path: [...context.path.slice(0, -1), keyword] })
  const { maxContains, minContains = 1 } = context.siblings
  const min = countOf(minContains, at("minContains"))
  const max = maxContains === undefined ? undefined : countOf(maxContains, at("maxContains"))
  return (value, steps) => {
    if (!Array.isArray(value)) return undefined
    let count = 0
    for (const item of value) {
      steps.take(1)
      if (check(item as Json, steps) === undefined) count++
    }
    if (count < min) return differs(`must have at least ${min} items that fit the schema in contains`)
    if (max === undefined || count <= max || !context.isExact()) return undefined
    return differs(`must have at most ${max} items that fit the schema in contains`)
  }
}

/** Checks each member of an object by the check that its name has, if any. */
const eachMember =
  (checkOf: (name: string) => Check | undefined): Check =>
  (value, steps) =>
    isObject(value)
      ? firstOf(steps.namesOf(value), (name) => within(name, checkOf(name)?.(value[name] as Json, steps)))
      : undefined

const properties: Keyword = (argument, context) => {
  const checks = new Map(named(argument, context))
  return eachMember((name) => checks.get(name))
}

const additionalProperties: Keyword = (argument, context) => {
  const check = one(argument, context)
  // Patterns are not matched here, so any name may be one that patternProperties means.
  if (context.siblings["patternProperties"] !== undefined) return () => undefined
  const declared = context.siblings["properties"]
  return eachMember((name) => (isObject(declared) && Object.hasOwn(declared, name) ? undefined : check))
}

const propertyNames: Keyword = (argument, context) => {
  const check = one(argument, context)
  return eachMember((name) => (_, steps) => {
    const difference = check(name, steps)
    return difference && { ...difference, detail: `has a name that ${difference.detail}` }
  })
}

const dependentSchemas: Keyword = (argument, context) => whenPresent(named(argument, context))

/** The applicators, by keyword. */
export const APPLICATORS: Keywords = new Map<string, Keyword>([
  ["$ref", $ref],
  ["properties", properties],
  ["additionalProperties", additionalProperties],
  ["propertyNames", propertyNames],
  ["dependentSchemas", dependentSchemas],
  ["prefixItems", prefixItems],
  ["items", items],
  ["contains", contains],
  ["allOf", allOf],
  ["anyOf", anyOf],
  ["oneOf", oneOf],
  ["not", not],
  ["if", conditional]
])
