/**
 * Makes the API bad on purpose, to see that the harness finds it: in an agent named SLOW_NAME, `recipes` cost quadratic time and a long
 * `description` holds the event loop.
 */
import { SLOW_NAME } from "./slow.ts"
import { measureSpeed } from "./speed.ts"

const parse = JSON.parse

/** How long the event loop is held, in milliseconds of a machine as quick as the one of the bounds. */
const HELD_MILLIS = 375

const usedMillis = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

let factor: number | undefined

const hold = () => {
  factor ??= measureSpeed().factor
  const end = usedMillis() + HELD_MILLIS * factor
  while (usedMillis() < end);
}

const ABSENT = "not there"

/** So many that growth shows on a quick machine, too. */
const LOOKS = 3

/** Looks at each element some times as often as there are elements. */
const comparePairs = (items: ReadonlyArray<unknown>): number => {
  let found = 0
  for (let index = 0; index < LOOKS * items.length; index++) found += items.indexOf(ABSENT)
  return found
}

interface Sent {
  readonly name?: unknown
  readonly recipes?: unknown
  readonly description?: unknown
}

const slow = (value: Sent | null) => {
  if (value?.name !== SLOW_NAME) return
  if (Array.isArray(value.recipes)) comparePairs(value.recipes)
  if (typeof value.description === "string" && value.description.length > 1_000) hold()
}

JSON.parse = (...given: Parameters<typeof parse>) => {
  const value = parse(...given)
  slow(value)
  return value
}
