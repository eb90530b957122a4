/** The OpenAPI document as the pages read it: operations, schemas, and what references stand for. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** As much of JSON Schema as the document uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string | undefined
  readonly default?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly required?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
}

export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

/** Bodies by media type. */
export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

export interface Operation {
  readonly tags?: ReadonlyArray<string>
  readonly operationId: string
  readonly "x-group": string
  readonly "x-required-scopes": ReadonlyArray<string>
  readonly "x-callers": string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly "x-max-bytes"?: number; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly tags?: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

const METHODS: ReadonlyArray<string> = ["get", "post", "put", "patch", "delete", "head", "options"]

const document: Document = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../packages/contract/openapi.json", import.meta.url)), "utf8")
)

/** One operation with its address. `name` is as in `POST /api/v1/runs/`. */
export interface Addressed {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** Every operation, in the document's order. */
export const operations: ReadonlyArray<Addressed> = Object.entries(document.paths).flatMap(([path, methods]) =>
  METHODS.flatMap((method) => {
    const operation = methods[method]
    return operation === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, method, path, operation }]
  })
)

/** The description of a group of operations. */
export const groupDescription = (group: string): string | undefined =>
  document.tags?.find(({ name }) => name === group)?.description

/** The schemas of the document that have a name. */
export const documentSchemas: Readonly<Record<string, JsonSchema>> = document.components.schemas

/** The schema itself, where this is a reference to it. */
export const resolved = (schema: JsonSchema): JsonSchema => {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? "")?.[1]
  return name === undefined ? schema : (document.components.schemas[name] ?? schema)
}
