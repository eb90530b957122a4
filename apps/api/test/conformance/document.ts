/** Our own OpenAPI document, as what the API is held to. */
import { readFileSync } from "node:fs"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

export type Schema = Readonly<Record<string, unknown>>

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly schema: Schema
}

/** The documentation of an answer: the check of its body by media type, none of them for an answer without a body. */
export interface DocumentedAnswer {
  readonly bodies: ReadonlyMap<string, ValidateFunction>
  readonly headers: ReadonlyArray<string>
}

export interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly isPublic: boolean
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: { readonly schema: Schema; readonly validate: ValidateFunction } | undefined
  /** The media types that a body may have; none for an operation without one. */
  readonly bodyTypes: ReadonlyArray<string>
  readonly answers: ReadonlyMap<number, DocumentedAnswer>
}

const FILE = new URL("../../../../packages/contract/openapi.json", import.meta.url)
const document = JSON.parse(readFileSync(FILE, "utf8"))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Keywords and formats that nobody here knows fail the compilation: nothing is passed over in silence. */
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
  keywords: ["example", "x-event-data", "discriminator"],
  formats: {
    uuid: UUID,
    "date-time": TIME,
    date: /^\d{4}-\d\d-\d\d$/,
    email: /^[^@\s]+@[^@\s]+$/,
    uri: /^[a-z]+:/,
    byte: true,
    binary: true
  }
})

const COMPONENTS = "components"

/** References into the components of the document lead to the one schema that holds them all. */
const referring = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", `${COMPONENTS}#/$defs/`))

ajv.addSchema(referring({ $id: COMPONENTS, $defs: document.components.schemas }))

/** Every object that is in `components` under the address of a reference. */
export const resolve = (schema: Schema): Schema => {
  const { $ref } = schema
  if (typeof $ref !== "string") return schema
  const found = $ref
    .slice(2)
    .split("/")
    .reduce((place, key) => place[key], document)
  return resolve(found)
}

const compiled = new Map<string, ValidateFunction>()
const validatorOf = (schema: Schema): ValidateFunction => {
  const key = JSON.stringify(schema)
  const known = compiled.get(key) ?? ajv.compile(referring(schema))
  compiled.set(key, known)
  return known
}

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
  readonly headers?: Readonly<Record<string, unknown>>
}

const answerOf = ({ content = {}, headers = {} }: Described): DocumentedAnswer => ({
  bodies: new Map(Object.entries(content).map(([type, { schema }]) => [type, validatorOf(schema)])),
  headers: Object.keys(headers).map((name) => name.toLowerCase())
})

/** Every operation of the document. */
export const operations: ReadonlyArray<Operation> = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Record<string, unknown>>).map(([method, operation]): Operation => {
    const { parameters, requestBody, responses, security } = operation as {
      readonly parameters: ReadonlyArray<Schema>
      readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
      readonly responses: Readonly<Record<string, Described>>
      readonly security: ReadonlyArray<object>
    }
    const schema = requestBody?.content["application/json"]?.schema
    return {
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      isPublic: security.length === 0,
      parameters: parameters.map(resolve) as unknown as ReadonlyArray<Parameter>,
      body: schema === undefined ? undefined : { schema, validate: validatorOf(schema) },
      bodyTypes: Object.keys(requestBody?.content ?? {}),
      answers: new Map(Object.entries(responses).map(([status, answer]) => [Number(status), answerOf(answer)]))
    }
  })
)
