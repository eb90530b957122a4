/** TypeScript types for the client, made from the schemas of the OpenAPI document: flat, with the document's sentences. */
import { documentSchemas, type JsonSchema } from "./openApi.ts"

/** The name of a member as TypeScript writes it, with quotes where it needs them. */
const nameOf = (member: string): string => (/^[A-Za-z_$][\w$]*$/.test(member) ? member : JSON.stringify(member))

/** A comment above what follows; nothing where there is nothing to say. */
export const comment = (text: string | undefined, indent: string): string =>
  text === undefined || text === "" ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/").replaceAll("\n", " ")} */\n`

const wrapped = (type: string): string => (type.includes(" | ") ? `(${type})` : type)

/** The members of an object, one a line. Those that may be missing may be `undefined`, too: JSON leaves them out. */
export const membersOf = (schema: JsonSchema, indent: string): string =>
  Object.entries(schema.properties ?? {})
    .map(([member, value]) => {
      const isRequired = schema.required?.includes(member) === true
      const type = typeOf(value, indent)
      return (
        comment(value.description, indent) +
        `${indent}readonly ${nameOf(member)}${isRequired ? "" : "?"}: ${type}${isRequired ? "" : " | undefined"}\n`
      )
    })
    .join("")

const objectType = (schema: JsonSchema, indent: string): string => {
  if (schema.properties !== undefined) return `{\n${membersOf(schema, `${indent}  `)}${indent}}`
  const values =
    typeof schema.additionalProperties === "object" ? typeOf(schema.additionalProperties, indent) : "unknown"
  return `Readonly<Record<string, ${values}>>`
}

/** The type of a schema. Throws at a schema of a form that the document has not had before. */
export const typeOf = (schema: JsonSchema, indent = ""): string => {
  const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? "") ?? []
  if (name !== undefined) return name
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return [...new Set(branches.map((one) => typeOf(one, indent)))].join(" | ")
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  switch (schema.type) {
    case undefined:
      return "unknown"
    case "integer":
    case "number":
      return "number"
    case "string":
    case "boolean":
    case "null":
      return schema.type
    case "array":
      return `ReadonlyArray<${typeOf(schema.items ?? {}, indent)}>`
    case "object":
      return objectType(schema, indent)
    default:
      throw new Error(`The client's types know no schema of the type ${schema.type}`)
  }
}

const refsIn = (value: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name)

/** The names of all schemas that these values lead to, sorted. */
export const schemasBehind = (values: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    refsIn(documentSchemas[name]).forEach(visit)
  }
  refsIn(values).forEach(visit)
  return [...found].sort()
}

/** The declaration of a schema of the document. */
export const declarationOf = (name: string): string => {
  const schema = documentSchemas[name] ?? {}
  const head = comment(schema.description, "")
  return schema.type === "object" && schema.properties !== undefined
    ? `${head}export interface ${name} {\n${membersOf(schema, "  ")}}\n`
    : `${head}export type ${name} = ${wrapped(typeOf(schema))}\n`
}
