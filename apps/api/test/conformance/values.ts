/** Values by chance, the same for the same seed: some that a schema admits, and some that it does not. */
import { resolve, type Schema } from "./document.ts"

/** Chance. */
export interface Chance {
  /** From 0 to 1, without 1. */
  readonly next: () => number
  readonly below: (limit: number) => number
  readonly is: (probability: number) => boolean
  readonly pick: <A>(choices: ReadonlyArray<A>) => A
}

/** Mulberry32. */
export const chanceOf = (seed: number): Chance => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    is: (probability) => next() < probability,
    pick: (choices) => {
      if (choices.length === 0) throw new Error("There is nothing to pick from")
      return choices[below(choices.length)] as never
    }
  }
}

/** Text that has been trouble elsewhere. */
export const ODD_TEXTS: ReadonlyArray<string> = [
  "",
  " ",
  "null",
  "-1",
  "0",
  "1e309",
  "../../etc/passwd",
  "'; drop table run; --",
  "%00",
  "\u0000",
  "\ud800",
  "😀".repeat(20),
  "\u202e\u2028",
  "x".repeat(3_000),
  "2026-02-30T00:00:00Z",
  "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77",
  "0199F2A4-6B1E-7C55-9A31-5D1C0F1E2A77",
  "__proto__",
  "https://example.com/",
  "http://169.254.169.254/"
]

const ODD_VALUES: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER + 2,
  [],
  [[]],
  {},
  { a: { b: [1] } },
  ...ODD_TEXTS
]

const LETTERS = "abcXYZ019 -_.éß漢"

const text = (chance: Chance, least: number, most: number): string =>
  Array.from({ length: least + chance.below(Math.min(most, least + 40) - least + 1) }, () =>
    LETTERS.charAt(chance.below(LETTERS.length))
  ).join("")

/** Ids that the walk has come by, by the name of what they name. */
export type Known = (name: string) => string | undefined

const number = (schema: Schema, key: string): number | undefined =>
  typeof schema[key] === "number" ? schema[key] : undefined

/** Waiting is what callers ask for, and would be all that a walk does. */
const boundOf = (name: string, schema: Schema): number =>
  name === "wait_seconds" ? 0 : (number(schema, "maximum") ?? 1_000)

/** The same without waiting, which examples do. */
const atOnce = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "wait_seconds" in value ? { ...value, wait_seconds: 0 } : value

/** A value that the schema admits, or nearly so where it cannot say all that is asked. */
export const valueOf = (given: Schema, chance: Chance, known: Known, name = ""): unknown => {
  const schema = resolve(given)
  const examples = schema["examples"]
  if (Array.isArray(examples) && chance.is(0.5)) return atOnce(structuredClone(chance.pick(examples)))
  if (Array.isArray(schema["enum"])) return chance.pick(schema["enum"])
  if (Array.isArray(schema["anyOf"])) return valueOf(chance.pick(schema["anyOf"]), chance, known, name)
  const inner = (member: unknown, of: string) => valueOf(member as Schema, chance, known, of)
  switch (schema["type"]) {
    case "null":
      return null
    case "boolean":
      return chance.is(0.5)
    case "integer":
    case "number": {
      const least = number(schema, "minimum") ?? 0
      return least + chance.below(Math.max(1, boundOf(name, schema) - least + 1))
    }
    case "string": {
      const id = known(name)
      if (id !== undefined && chance.is(0.9)) return id
      if (schema["format"] === "date-time") return new Date(Date.now() - chance.below(1e9)).toISOString()
      if (schema["format"] === "uuid") return crypto.randomUUID()
      if (name === "cron") return chance.pick(["0 9 * * 1-5", "*/5 * * * *", "not a time"])
      if (name === "timezone") return chance.pick(["Europe/Berlin", "UTC", "Nowhere/Never"])
      if (name === "url") return chance.pick(["https://example.com/hooks", "https://example.com/", "not a url"])
      if (name === "email") return `${text(chance, 3, 3).replaceAll(/[^a-z]/g, "x")}${chance.below(1e6)}@example.com`
      return text(chance, number(schema, "minLength") ?? 0, number(schema, "maxLength") ?? 60)
    }
    case "array": {
      const least = number(schema, "minItems") ?? 0
      const length = least + chance.below(Math.min(3, (number(schema, "maxItems") ?? 3) - least) + 1)
      return Array.from({ length }, () => inner(schema["items"] ?? {}, name))
    }
    case "object": {
      const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>)
      const required = (schema["required"] ?? []) as ReadonlyArray<string>
      // Two of many at a time: where all are likely, one that does not fit another refuses nearly every body.
      const share = Math.min(0.2, 2 / properties.length)
      const given = properties.filter(([property]) => required.includes(property) || chance.is(share))
      const members = given.map(([property, member]) => [property, inner(member, property)])
      const more = schema["additionalProperties"]
      const others = typeof more === "object" ? Array.from({ length: chance.below(3) }, () => text(chance, 1, 8)) : []
      return Object.fromEntries([...members, ...others.map((other) => [other, inner(more, other)])])
    }
    default:
      return structuredClone(chance.pick(ODD_VALUES.filter((value) => value !== "\ud800")))
  }
}

/** The body with something done to it that it may not admit. */
export const damaged = (body: unknown, chance: Chance): unknown => {
  if (typeof body !== "object" || body === null || Array.isArray(body) || chance.is(0.05))
    return chance.pick(ODD_VALUES)
  const entries = Object.entries(body)
  const index = chance.below(Math.max(1, entries.length))
  switch (chance.below(4)) {
    case 0:
      return Object.fromEntries(entries.filter((_, place) => place !== index))
    case 1:
      return { ...body, [chance.pick(["unknown", "Name", "id", "organization_id", "constructor"])]: 1 }
    default:
      return Object.fromEntries(
        entries.map(([name, value], place) => [
          name,
          place !== index ? value : chance.is(0.4) ? damaged(value, chance) : chance.pick(ODD_VALUES)
        ])
      )
  }
}
