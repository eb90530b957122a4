/** Large JSON Schemas for the input of an agent, and large inputs that are held to schemas of moderate size. */
import { type Case, type Scale, sampled, sizesBelow } from "./cases.ts"
import type { Platform } from "./platform.ts"
import { runOf } from "./runCases.ts"
import { NESTING, type Shape, shapesOf } from "./shapes.ts"
import { makeTester, type Tester } from "./tester.ts"

/** The largest agent that is sent, and the largest input of a run. */
const SCHEMA_BYTES_MAX = 1024 * 1024
const INPUT_BYTES_MAX = 256 * 1024

type Make = (count: number) => unknown

const many = (count: number, one: (index: number) => unknown) => Array.from({ length: count }, (_, index) => one(index))
const named = (count: number, one: (index: number) => unknown) =>
  Object.fromEntries(many(count, (index) => [`n${index}`, one(index)]) as ReadonlyArray<[string, unknown]>)
/** So many schemas in each other, at most `NESTING`. */
const nested = (count: number, around: (inner: unknown) => unknown) =>
  Array.from({ length: Math.min(NESTING, count) }).reduce<unknown>((inner) => around(inner), { type: "string" })

/** Every keyword that holds many of something, or one in another. */
const KEYWORDS: Readonly<Record<string, Make>> = {
  anyOf: (count) => ({ anyOf: many(count, (index) => ({ type: "string", minLength: index + 1_000_000 })) }),
  oneOf: (count) => ({ oneOf: many(count, (index) => ({ type: "string", minLength: index + 1_000_000 })) }),
  allOf: (count) => ({ allOf: many(count, (index) => ({ type: "string", maxLength: index + 1_000_000 })) }),
  enum: (count) => ({ enum: many(count, (index) => `word ${index}`) }),
  required: (count) => ({ type: "object", required: many(count, (index) => `n${index}`) }),
  properties: (count) => ({ type: "object", properties: named(count, () => ({ type: "string" })) }),
  patternProperties: (count) => ({ type: "object", patternProperties: named(count, () => ({ type: "string" })) }),
  dependentRequired: (count) => ({ type: "object", dependentRequired: named(count, () => ["n0"]) }),
  prefixItems: (count) => ({ type: "array", prefixItems: many(count, () => ({ type: "string" })) }),
  type: (count) => ({ type: many(count, () => "string") }),
  $defs: (count) => ({ $ref: "#/$defs/n0", $defs: named(count, (index) => ({ $ref: `#/$defs/n${index + 1}` })) }),
  items: (count) => nested(count, (inner) => ({ type: "array", items: inner })),
  additionalProperties: (count) => nested(count, (inner) => ({ type: "object", additionalProperties: inner })),
  contains: (count) => nested(count, (inner) => ({ type: "array", contains: inner })),
  description: (count) => ({ type: "string", description: "a".repeat(count * 20) }),
  const: (count) => ({ const: many(count, (index) => index) })
}

/** So many alternatives, of which the last one fits any text: the others are all tried before it. */
const lastFits = (keyword: "anyOf" | "oneOf", count: number) => ({
  [keyword]: [...many(count - 1, (index) => ({ type: "string", minLength: 1_000_000 + index })), { type: "string" }]
})

/** Schemas of moderate size by which a large value is costly to check. */
const HARD: Readonly<Record<string, unknown>> = {
  "items with 300 anyOf": { type: "array", items: lastFits("anyOf", 300) },
  "items with 300 oneOf": { type: "array", items: lastFits("oneOf", 300) },
  "items with 300 allOf": { type: "array", items: KEYWORDS["allOf"]!(300) },
  "items with an enum of 5,000": { type: "array", items: KEYWORDS["enum"]!(5_000) },
  "contains with 300 anyOf": { type: "array", contains: lastFits("anyOf", 300) },
  uniqueItems: { type: "array", uniqueItems: true },
  "additionalProperties with 300 anyOf": { type: "object", additionalProperties: lastFits("anyOf", 300) },
  "300 patternProperties": KEYWORDS["patternProperties"]!(300),
  "propertyNames with 300 anyOf": { type: "object", propertyNames: lastFits("anyOf", 300) },
  "1,000 properties": { ...(KEYWORDS["properties"]!(1_000) as object), additionalProperties: false },
  "300 anyOf of objects": {
    anyOf: many(300, (index) => ({ type: "object", required: [`x${index}`], additionalProperties: { type: "string" } }))
  },
  "a pattern": { type: "string", pattern: "^(a+)+$" },
  "a length": { type: "string", maxLength: 10 }
}

const VALUES: ReadonlyArray<Shape> = [
  { name: "texts", text: (bytes) => `[${many(bytes / 4, () => '"a"').join()}]` },
  { name: "unlike texts", text: (bytes) => `[${many(bytes / 10, (index) => `"t${index}"`).join()}]` },
  ...shapesOf({ kind: "anything", path: [], schema: {} }, {}).filter(({ name }) =>
    ["letters", "a list of objects", "names", "nested lists"].includes(name)
  )
]

/**
 * The schema or value that `make` gives for as many things as come to about so many bytes: measured by 64 of them, with 2 bytes more for
 * each, since longer numbers follow, and 200 for the agent around them.
 */
const fitting = (make: Make, bytes: number): unknown => {
  const perItem = JSON.stringify(make(64)).length / 64
  return make(Math.max(1, Math.floor((bytes - 200) / (perItem + 2))))
}

const agentWith = async ({ make }: Tester, schema: unknown): Promise<string> =>
  String((await make("POST", "/api/v1/agents", { name: "Strict", recipe: "demo", input_schema: schema })).agent_id)

/** Every case of a schema: as an agent's, and against what is given to one. */
export const schemaCases = (platform: Platform, scale: Scale): ReadonlyArray<Case> => {
  const growing = Object.entries(KEYWORDS).map(
    ([keyword, make]): Case => ({
      endpoint: "a JSON Schema of any size",
      member: `input_schema: ${keyword}`,
      sizes: sizesBelow(SCHEMA_BYTES_MAX, scale),
      prepare: async (size) => {
        const tester = await makeTester(platform)
        const body = JSON.stringify({ name: "Strict", recipe: "demo", input_schema: fitting(make, size) })
        return async () => {
          const answered = await tester.ask("POST", "/api/v1/agents", body)
          if (answered.status >= 300) return String(answered.status)
          const { agent_id } = JSON.parse(answered.text) as { readonly agent_id: string }
          return `${answered.status}, a run ${(await runOf(tester, agent_id, { input: "a" })).outcome}`
        }
      }
    })
  )
  const against = Object.entries(HARD).flatMap(([member, schema]) =>
    VALUES.map((value): Case => {
      let staged: Promise<{ readonly tester: Tester; readonly agentId: string }> | undefined
      const stage = async () => {
        const tester = await makeTester(platform)
        return { tester, agentId: await agentWith(tester, schema) }
      }
      return {
        endpoint: "a value held to a JSON Schema",
        member: `${member}: ${value.name}`,
        sizes: sizesBelow(INPUT_BYTES_MAX, scale),
        prepare: async (size) => {
          staged ??= stage()
          const { agentId, tester } = await staged
          const input = JSON.parse(value.text(size - 500)) as unknown
          return async () => (await runOf(tester, agentId, { input })).outcome
        }
      }
    })
  )
  return [...sampled(growing, scale, 2), ...sampled(against, scale, 6)]
}
