/** Walks through schemas, to every place at which a sender can repeat, nest or lengthen something. */
import { type Operation, operations, resolve, type Schema } from "../../apps/api/test/conformance/document.ts"

export { type Operation, operations, resolve, type Schema }

/** Whether the first success deletes or replaces the thing that the operation is about. */
export const usesUp = ({ method, path }: Operation): boolean => method === "DELETE" || path.endsWith("/rotate")

/** How a place can grow: `anything` takes any JSON, a `scalar` cannot grow, and refuses whatever is large. */
export type Kind = "text" | "scalar" | "list" | "map" | "object" | "anything"

/** A place in a document. The steps lead to it from the root: names of members, and 0 for an element of a list. */
export interface Place {
  readonly kind: Kind
  readonly path: ReadonlyArray<string | 0>
  readonly schema: Schema
}

/** The schemas that a value may follow, null left out. */
export const alternativesOf = (given: Schema): ReadonlyArray<Schema> => {
  const schema = resolve(given)
  const members = schema["anyOf"] ?? schema["oneOf"]
  if (!Array.isArray(members)) return schema["type"] === "null" ? [] : [schema]
  return members.flatMap(alternativesOf)
}

/** The members of an object by name. */
export const propertiesOf = (schema: Schema): ReadonlyArray<readonly [string, Schema]> =>
  Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Schema>>)

const placesInObject = (schema: Schema, path: Place["path"]): ReadonlyArray<Place> => {
  const more = schema["additionalProperties"]
  const properties = propertiesOf(schema)
  if (typeof more === "object" && more !== null) {
    return [{ kind: "map", path, schema }, ...placesOf(more as Schema, [...path, "name"])]
  }
  if (properties.length === 0) return [{ kind: "anything", path, schema }]
  const inner = properties.flatMap(([name, property]) => placesOf(property, [...path, name]))
  return [{ kind: "object", path, schema }, ...inner]
}

/** Every place in what a schema describes, the root among them. */
export const placesOf = (given: Schema, path: Place["path"] = []): ReadonlyArray<Place> =>
  alternativesOf(given).flatMap((schema): ReadonlyArray<Place> => {
    switch (schema["type"]) {
      case "object":
        return placesInObject(schema, path)
      case "array":
        return [{ kind: "list", path, schema }, ...placesOf((schema["items"] ?? {}) as Schema, [...path, 0])]
      case "string":
        return [{ kind: Array.isArray(schema["enum"]) ? "scalar" : "text", path, schema }]
      case "integer":
      case "number":
      case "boolean":
        return [{ kind: "scalar", path, schema }]
      default:
        return [{ kind: "anything", path, schema }]
    }
  })

/** The place as it is printed, as a JSON pointer. */
export const nameOfPlace = ({ path }: Place): string => `/${path.join("/")}`
