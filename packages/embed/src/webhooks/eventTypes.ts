/** The host's registry of event types. */
import type { EventKind } from "@agent-platform/kernel"
import { EVENT_TYPE_PATTERN } from "@agent-platform/postgres"
import { Schema } from "effect"
import { EmbedError } from "../internal/EmbedError.ts"
import { jsonObjectOf } from "../internal/json.ts"

/** A schema of Zod, Valibot, ArkType, Effect or any other library that keeps to https://standardschema.dev. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> }

interface StandardIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** A type of event: the schema of its data, and data for test events. Without a schema any JSON object is its data. */
export interface EventType {
  readonly schema?: StandardSchema<never, unknown> | StandardSchema | undefined
  readonly sample?: object | undefined
}

/** The host's types by their names. */
export type EventTypes = Readonly<Record<string, EventType>>

/** The data of an event of this type, as its schema takes it; any object where it has no schema, or one that does not say its input. */
export type DataOf<Types extends EventTypes, Type extends keyof Types> = Types[Type] extends {
  readonly schema: { readonly "~standard": { readonly types?: infer T } }
}
  ? NonNullable<T> extends { readonly input: infer Input }
    ? Input
    : object
  : object

const NAME = new RegExp(EVENT_TYPE_PATTERN)

/** Refuses a value that cannot name a type. */
export const requireName = (type: unknown): string => {
  if (typeof type === "string" && NAME.test(type)) return type
  throw new EmbedError(
    "event_type_invalid",
    "An event type is 1 to 128 letters, digits, _, ., : and -, and begins with a letter or a digit: " +
      `${JSON.stringify(type)} is not`
  )
}

const placeOf = ({ path }: StandardIssue): string => {
  const keys = (path ?? []).map((part) => String(typeof part === "object" ? part.key : part))
  return keys.length === 0 ? "" : `${keys.join(".")}: `
}

/** The types that a host has declared. Without a declaration `names` is undefined, and every name is a type. */
export interface Registry {
  readonly names: ReadonlyArray<string> | undefined
  /** Refuses types that are not declared. */
  readonly requireTypes: (types: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The JSON of an event's data; refuses what its schema refuses, and what cannot be kept. */
  readonly read: (type: string, data: unknown) => Promise<{ readonly text: string; readonly value: object }>
  /** The kind of a type, whose sample test events send. */
  readonly kindOf: (type: string) => EventKind<string, Schema.Constraint>
}

export const makeRegistry = (types: EventTypes | undefined, dataBytesMax: number): Registry => {
  const names = types && Object.keys(types).map(requireName)
  const known = new Map(Object.entries(types ?? {}))

  const requireType = (type: string): string => {
    requireName(type)
    if (names === undefined || known.has(type)) return type
    throw new EmbedError(
      "event_type_unknown",
      `There is no event type "${type}". There are: ${names.join(", ") || "none"}`,
      {
        type
      }
    )
  }

  const jsonOrRefuse = (type: string, data: unknown) => {
    const json = jsonObjectOf(data, dataBytesMax)
    if ("text" in json) return json
    throw new EmbedError("event_data_invalid", `The data of "${type}" is a JSON object: ${json.why}`, { type })
  }
  for (const [type, { sample }] of known) if (sample !== undefined) jsonOrRefuse(type, sample)

  return {
    names,
    requireTypes: (some) => some.map(requireType),
    read: async (type, data) => {
      const schema = known.get(requireType(type))?.schema
      if (schema === undefined) return jsonOrRefuse(type, data)
      const result = await schema["~standard"].validate(data)
      if (result.issues === undefined) return jsonOrRefuse(type, result.value)
      const said = result.issues.slice(0, 5).map((issue) => placeOf(issue) + issue.message)
      throw new EmbedError(
        "event_data_invalid",
        `The data of "${type}" is not what its schema says: ${said.join("; ")}`,
        {
          type,
          issues: result.issues
        }
      )
    },
    kindOf: (type) => {
      const { sample = {} } = known.get(requireType(type)) ?? {}
      return { type, when: type, data: Schema.Unknown, sample: () => sample }
    }
  }
}
