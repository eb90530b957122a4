/**
 * Makes the API bad on purpose, to see that the harness finds it: an agent's `recipes` cost quadratic time, and a long
 * `description` holds the event loop.
 */
import { measureSpeed } from "./speed.ts"

const parse = JSON.parse

/** How long the event loop is held, in milliseconds of a machine as quick as the one of the bounds. */
const HELD_MILLIS = 375

const usedMillis = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

const hold = () => {
  const end = usedMillis() + HELD_MILLIS * measureSpeed().factor
  while (usedMillis() < end);
}

const ABSENT = "not there"

/** So often, that this is most of what the smallest size costs as well. */
const ROUNDS = 8

/** Looks at each element as often as there are elements. */
const comparePairs = (items: ReadonlyArray<unknown>): number => {
  let found = 0
  for (let index = 0; index < items.length * ROUNDS; index++) found += items.indexOf(ABSENT)
  return found
}

const slow = (value: { readonly recipes?: unknown; readonly description?: unknown } | null) => {
  if (Array.isArray(value?.recipes)) comparePairs(value.recipes)
  if (typeof value?.description === "string" && value.description.length > 1_000) hold()
}

JSON.parse = (...given: Parameters<typeof parse>) => {
  const value = parse(...given)
  slow(value)
  return value
}
