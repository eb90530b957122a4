/** JSON as Postgres keeps it, so that memory refuses what Postgres refuses. */
import { isTooDeep, NESTING_MAX, parseJson } from "@agent-platform/kernel"
import type { Schema } from "effect"
import { whyNotStorable } from "./tenant.ts"

/** How many characters Postgres writes for a number: it writes all its digits, and no exponent. */
const lengthOfNumber = (value: number): number => {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  const power = Number(exponent)
  if (power === 0) return sign.length + whole.length + (fraction === "" ? 0 : fraction.length + 1)
  if (power > 0) return sign.length + Math.max(whole.length + power, whole.length + fraction.length + 1)
  // `0.`, the zeros behind it, and all digits.
  return sign.length + 2 + (-power - 1) + whole.length + fraction.length
}

/** How many bytes the value has as the text of a `jsonb`: `{"a": 1, "b": [2, 3]}`. */
export const jsonbBytes = (value: unknown): number => {
  if (typeof value === "number") return lengthOfNumber(value)
  if (typeof value !== "object" || value === null) return Buffer.byteLength(JSON.stringify(value), "utf8")
  const items = Array.isArray(value) ? value : Object.values(value)
  const names = Array.isArray(value) ? [] : Object.keys(value)
  const separators = 2 * Math.max(0, items.length - 1)
  return (
    2 +
    separators +
    names.reduce((sum, name) => sum + jsonbBytes(name) + 2, 0) +
    items.reduce<number>((sum, item) => sum + jsonbBytes(item), 0)
  )
}

/** Why a text in the value, or a name, cannot be kept. */
const whyNoTextOf = (value: Schema.Json): string | undefined => {
  if (typeof value === "string") return whyNotStorable(value)
  if (typeof value !== "object" || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const why = whyNotStorable(name) ?? whyNoTextOf(inner)
    if (why !== undefined) return why
  }
  return undefined
}

/** The JSON of a value, or why it is none that can be kept. */
export const jsonOf = (
  data: unknown,
  bytesMax: number
): { readonly text: string; readonly value: Schema.Json } | { readonly why: string } => {
  let text: string | undefined
  try {
    text = JSON.stringify(data)
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
  if (text === undefined) return { why: `this is ${typeof data}` }
  if (text.length > bytesMax) return { why: `it has more than ${bytesMax} bytes, which are the most` }
  const value = parseJson(text) as Schema.Json
  if (isTooDeep(value)) return { why: `it is nested more than ${NESTING_MAX} deep` }
  const why = whyNoTextOf(value)
  if (why !== undefined) return { why: `it ${why}` }
  const bytes = jsonbBytes(value)
  return bytes > bytesMax
    ? { why: `it has ${bytes} bytes as Postgres writes them, and ${bytesMax} are the most` }
    : { text, value }
}

/** As `jsonOf`, for objects alone. */
export const jsonObjectOf = (
  data: unknown,
  bytesMax: number
): { readonly text: string; readonly value: Schema.JsonObject } | { readonly why: string } => {
  const json = jsonOf(data, bytesMax)
  if ("why" in json) return json
  const { text, value } = json
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { why: "this is another kind of value" }
  return { text, value: value as Schema.JsonObject }
}
