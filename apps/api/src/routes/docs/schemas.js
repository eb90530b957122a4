/** Schemas of the document, member by member. Those inside of others are opened one by one. */
import { element, folded, words } from "./elements.js"

/** The part of the document that a reference names; anything else is itself. */
export const resolve = (api, one) => {
  let found = one
  while (found?.$ref !== undefined) {
    found = found.$ref
      .slice(2)
      .split("/")
      .reduce((part, name) => part?.[name], api)
  }
  return found ?? {}
}

const bound = (least, most, unit) => {
  if (least === undefined && most === undefined) return undefined
  if (most === undefined) return `from ${least}${unit}`
  return `${least === undefined ? "up to" : `${least} to`} ${most}${unit}`
}

/** The kind of a value in a few words. */
export const kindOf = (api, given) => {
  const schema = resolve(api, given)
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === "array") return `list of ${kindOf(api, schema.items ?? {})}`
  if (parts !== undefined) return [...new Set(parts.map((part) => kindOf(api, part)))].join(" | ")
  const type = [schema.type ?? "any JSON"].flat().join(" | ")
  const details = [
    schema.format,
    bound(schema.minLength, schema.maxLength, " characters"),
    bound(schema.minimum, schema.maximum, "")
  ].filter((one) => one !== undefined)
  return details.length === 0 ? type : `${type} (${details.join(", ")})`
}

/** The objects with members that a schema may be, through lists and alternatives. */
const objectsIn = (api, given) => {
  const schema = resolve(api, given)
  if (schema.type === "array") return objectsIn(api, schema.items ?? {})
  if (Object.keys(schema.properties ?? {}).length > 0) return [schema]
  return (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []).flatMap((part) => objectsIn(api, part))
}

const textOf = (api, schema) => schema.description ?? resolve(api, schema).description

/** One named value: a member or a parameter. */
export const named = (api, { name, place, required, schema }, description = textOf(api, schema)) => {
  const inner = objectsIn(api, schema)
  const fallback = resolve(api, schema).default
  const facts = [
    kindOf(api, schema),
    place,
    required ? "required" : undefined,
    fallback === undefined ? undefined : `default ${JSON.stringify(fallback)}`
  ].filter((fact) => fact !== undefined)
  return [
    element("dt", {}, element("code", {}, name), element("span", { class: "kind" }, facts.join(", "))),
    element(
      "dd",
      {},
      description === undefined ? undefined : words(description),
      inner.length === 0 ? undefined : folded("Members", () => inner.flatMap((one) => members(api, one)))
    )
  ]
}

/** The members of what a schema may be. */
export const members = (api, given) =>
  objectsIn(api, given).map((object) =>
    element(
      "dl",
      {},
      Object.entries(object.properties).flatMap(([name, schema]) =>
        named(api, { name, schema, required: object.required?.includes(name) })
      )
    )
  )
