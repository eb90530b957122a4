/** Keywords that say something of the value itself. JSON Schema 2020-12, Validation. */
import { type Check, differs, firstOf, isObject, type Json, type Steps, whenPresent } from "./Check.ts"
import { areDistinct, equal } from "./equal.ts"
import { countOf, type Keyword, type Keywords, listOf, membersOf, namesOf, numberOf, refused } from "./keyword.ts"

const TYPES: ReadonlyMap<string, (value: Json) => boolean> = new Map([
  ["null", (value) => value === null],
  ["boolean", (value) => typeof value === "boolean"],
  ["integer", (value) => Number.isInteger(value)],
  ["number", (value) => typeof value === "number"],
  ["string", (value) => typeof value === "string"],
  ["array", (value) => Array.isArray(value)],
  ["object", isObject]
])

const type: Keyword = (argument, context) => {
  const names = typeof argument === "string" ? [argument] : namesOf(argument, context)
  const tests = names.map((name) => {
    const test = TYPES.get(name)
    return test ?? refused(context, `must be one of ${[...TYPES.keys()].join(", ")}`)
  })
  const detail = `must be of the type ${[...new Set(names)].join(" or ")}`
  return (value, steps) => {
    steps.take(tests.length)
    return tests.some((test) => test(value)) ? undefined : differs(detail)
  }
}

/** The check that a value is one of these. */
const among = (values: ReadonlyArray<Json>, detail: string): Check => {
  const scalars = new Set(values.filter((value) => typeof value !== "object" || value === null))
  const others = values.filter((value) => typeof value === "object" && value !== null)
  return (value, steps) => {
    if (typeof value !== "object" || value === null) {
      if (!scalars.has(value)) return differs(detail)
      if (typeof value === "string") steps.take(value.length)
      return undefined
    }
    return others.some((other) => equal(other, value, steps)) ? undefined : differs(detail)
  }
}

const ofNumbers = (differ: (value: number) => string | undefined): Check => {
  return (value) => {
    const detail = typeof value === "number" ? differ(value) : undefined
    return detail === undefined ? undefined : differs(detail)
  }
}

const bound =
  (holds: (value: number, limit: number) => boolean, words: string): Keyword =>
  (argument, context) => {
    const limit = numberOf(argument, context)
    return ofNumbers((value) => (holds(value, limit) ? undefined : `must be ${words} ${limit}`))
  }

/** Whether a value is a multiple, but for rounding: in binary 0.3 is no whole multiple of 0.1. */
const isMultiple = (value: number, divisor: number): boolean => {
  const quotient = value / divisor
  if (!Number.isFinite(quotient)) return value % divisor === 0
  return Math.abs(quotient - Math.round(quotient)) <= 4 * Number.EPSILON * Math.max(1, Math.abs(quotient))
}

const multipleOf: Keyword = (argument, context) => {
  const divisor = numberOf(argument, context)
  if (divisor <= 0) return refused(context, "must be above 0")
  return ofNumbers((value) => (isMultiple(value, divisor) ? undefined : `must be a multiple of ${divisor}`))
}

/** How many there are in a value; undefined where the keyword says nothing of such a value. */
type Count = (value: Json, steps: Steps) => number | undefined

const characters: Count = (value, steps) => {
  if (typeof value !== "string") return undefined
  steps.take(value.length)
  let count = 0
  for (const _ of value) count++
  return count
}

const items: Count = (value) => (Array.isArray(value) ? value.length : undefined)

const members: Count = (value, steps) => (isObject(value) ? steps.namesOf(value).length : undefined)

const counted =
  (bound: "least" | "most", count: Count, what: string): Keyword =>
  (argument, context) => {
    const limit = countOf(argument, context)
    const isOff = (found: number) => (bound === "least" ? found < limit : found > limit)
    // A value that is not counted passes as one at the limit does.
    return (value, steps) =>
      isOff(count(value, steps) ?? limit) ? differs(`must have at ${bound} ${limit} ${what}`) : undefined
  }

const uniqueItems: Keyword = (argument, context) => {
  if (typeof argument !== "boolean") return refused(context, "must be true or false")
  return (value, steps) =>
    argument && Array.isArray(value) && !areDistinct(value, steps) ? differs("must not have an item twice") : undefined
}

const required: Keyword = (argument, context) => {
  const names = namesOf(argument, context)
  return (value, steps) =>
    isObject(value)
      ? firstOf(names, (name) => {
          steps.take(1)
          return Object.hasOwn(value, name) ? undefined : differs(`must have the member '${name}'`)
        })
      : undefined
}

const dependentRequired: Keyword = (argument, context) =>
  whenPresent(
    membersOf(argument, context).map(([name, names]) => [
      name,
      required(names, { ...context, path: [...context.path, name] })
    ])
  )

/** The assertions, by keyword. */
export const ASSERTIONS: Keywords = new Map<string, Keyword>([
  ["type", type],
  ["const", (argument) => among([argument], "must be the value that const names")],
  ["enum", (argument, context) => among(listOf(argument, context), "must be one of the values that enum lists")],
  ["minimum", bound((value, limit) => value >= limit, "at least")],
  ["maximum", bound((value, limit) => value <= limit, "at most")],
  ["exclusiveMinimum", bound((value, limit) => value > limit, "more than")],
  ["exclusiveMaximum", bound((value, limit) => value < limit, "less than")],
  ["multipleOf", multipleOf],
  ["minLength", counted("least", characters, "characters")],
  ["maxLength", counted("most", characters, "characters")],
  ["minItems", counted("least", items, "items")],
  ["maxItems", counted("most", items, "items")],
  ["minProperties", counted("least", members, "members")],
  ["maxProperties", counted("most", members, "members")],
  ["uniqueItems", uniqueItems],
  ["required", required],
  ["dependentRequired", dependentRequired]
])
