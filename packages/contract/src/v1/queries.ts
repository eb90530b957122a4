/** Query parameters: each declared once, for decoding and for the documentation. */
import { PAGE_LIMIT_MAX } from "@agent-platform/kernel"
import { Schema } from "effect"
import { integerText, orElse, text } from "./formats.ts"

/** The documentation of a query parameter, in the place of the generated one, by which each is a mere text. */
export interface ParameterDoc {
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
}

interface Parameter<S extends Schema.Top> {
  readonly schema: S
  readonly doc: ParameterDoc
}

/** The parameters of an endpoint: `fields` for its query, `docs` for its documentation. */
export interface Parameters<Fields extends Schema.Struct.Fields> {
  readonly fields: Fields
  readonly docs: Readonly<Record<string, ParameterDoc>>
}

/** A whole number, with a value for when it is missing. */
export const integerParameter = (
  description: string,
  bounds: { readonly minimum: number; readonly maximum: number; readonly default: number }
) => ({
  schema: orElse(integerText(bounds.minimum, bounds.maximum), String(bounds.default)),
  doc: { description, schema: { type: "integer", ...bounds } }
})

/** Where to go on: the `next_cursor` of the page before. */
export const cursorParameter = {
  schema: Schema.optionalKey(text("Opaque")),
  doc: {
    description:
      "The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered.",
    schema: { type: "string" }
  }
}

/** Gathers the parameters of an endpoint. */
export const parameters = <const P extends Readonly<Record<string, Parameter<Schema.Top>>>>(
  given: P
): Parameters<{ readonly [Name in keyof P]: P[Name]["schema"] }> => ({
  fields: Object.fromEntries(Object.entries(given).map(([name, { schema }]) => [name, schema])) as {
    readonly [Name in keyof P]: P[Name]["schema"]
  },
  docs: Object.fromEntries(Object.entries(given).map(([name, { doc }]) => [name, doc]))
})

/** How long an answer may be delayed on request, in seconds. */
export const WAIT_SECONDS_MAX = 60

/** How much of a list is asked for. */
export const limitParameter = integerParameter("Most items of the page", {
  minimum: 1,
  maximum: PAGE_LIMIT_MAX,
  default: PAGE_LIMIT_MAX
})

/** The header by which a stream that reconnects says how far it has come. */
export const lastEventId = (description: string) => ({ "last-event-id": Schema.optionalKey(text(description)) })

/** The parameters of a list. */
export const pageParameters = parameters({ limit: limitParameter, cursor: cursorParameter })

interface Operation {
  parameters?: Array<{ name: string; in: string; schema: object; description?: string }>
}

/** Puts what is known of the parameters into an operation of the OpenAPI document. */
export const documentParameters =
  (docs: Readonly<Record<string, ParameterDoc>>) =>
  (operation: Record<string, unknown>): Record<string, unknown> => {
    const { parameters: found = [], ...rest } = operation as Operation
    return {
      ...rest,
      parameters: found.map((parameter) => {
        const doc = parameter.in === "query" ? docs[parameter.name] : undefined
        return doc === undefined ? parameter : { ...parameter, ...doc }
      })
    }
  }
