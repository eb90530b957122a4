import { canonicalJson } from "@agent-platform/kernel"
import { isObject, type Json, type Steps } from "./Check.ts"

/** Whether two values are the same. */
export const equal = (one: Json, other: Json, steps: Steps): boolean => {
  steps.take(1)
  if (typeof one === "string" && typeof other === "string") {
    if (one.length !== other.length) return false
    steps.take(one.length)
    return one === other
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => equal(item, other[index] as Json, steps))
  }
  if (!isObject(one) || !isObject(other)) return one === other
  const names = steps.namesOf(one)
  return (
    names.length === steps.namesOf(other).length &&
    names.every((name) => Object.hasOwn(other, name) && equal(one[name] as Json, other[name] as Json, steps))
  )
}

/** Steps for each value that is written as text, in addition to its characters. */
const WRITE_STEPS = 4

const takeWriting = (value: Json, steps: Steps): void => {
  steps.take(WRITE_STEPS + (typeof value === "string" ? value.length : 0))
  if (Array.isArray(value)) for (const item of value) takeWriting(item, steps)
  if (!isObject(value)) return
  for (const name of steps.namesOf(value)) {
    steps.take(name.length)
    takeWriting(value[name] as Json, steps)
  }
}

/** Whether no two of the values are the same. */
export const areDistinct = (values: ReadonlyArray<Json>, steps: Steps): boolean => {
  takeWriting(values, steps)
  return new Set(values.map(canonicalJson)).size === values.length
}
