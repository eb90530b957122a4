/** The kinds of events, and tables of their data. */
import { unnamedEvents, webhookEvents } from "@agent-platform/contract"
import { Schema } from "effect"
import { members } from "./fields.ts"
import { table } from "./markdown.ts"
import type { JsonSchema } from "./openApi.ts"

/** When each kind is published, and to whom it is sent. */
export const eventTypes = (): ReadonlyArray<string> =>
  table(
    ["Type", "When", "Sent to"],
    webhookEvents.map(({ type, when }) => [
      `\`${type}\``,
      when,
      unnamedEvents.includes(type) ? "Those that name it, or name none" : "Those that name it"
    ])
  )

/** Whether an object has every member of another, with the same schema. */
const has = (whole: JsonSchema, part: JsonSchema): boolean =>
  Object.entries(part.properties ?? {}).every(
    ([name, member]) => JSON.stringify(whole.properties?.[name]) === JSON.stringify(member)
  )

const kinds = webhookEvents.map(({ data, type }) => ({
  type,
  schema: Schema.toJsonSchemaDocument(data).schema as JsonSchema
}))

/**
 * The kinds that share a table. A kind has one of its own unless all of its members are in another kind, whose table it then shares. Of
 * kinds with the same members the first has the table.
 */
const groups = kinds
  .filter(({ schema }, at) =>
    kinds.every(
      (other, place) => place === at || !has(other.schema, schema) || (has(schema, other.schema) && at < place)
    )
  )
  .map(({ schema }) => ({ schema, types: kinds.filter((kind) => has(schema, kind.schema)).map(({ type }) => type) }))

/** A table of the data of every kind. */
export const eventData = (): ReadonlyArray<string> =>
  groups.flatMap(({ schema, types }) => [
    `The data of ${types.map((type) => `\`${type}\``).join(", ")}:`,
    "",
    ...members(schema)
  ])
