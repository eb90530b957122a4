import type { Schema } from "effect"

/**
 * Text that every store takes: NUL, and halves of surrogate pairs, which JSON can carry and a database's text cannot,
 * become the replacement character.
 */
export const storableText = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\uFFFD")

/** A JSON value with `map` applied to each of its texts, names of members included. */
export const mapTexts = (value: Schema.Json, map: (text: string) => string): Schema.Json => {
  if (typeof value === "string") return map(value)
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, map))
  if (typeof value === "object" && value !== null) return mapRecord(value as Schema.JsonObject, map)
  return value
}

const mapRecord = (record: Schema.JsonObject, map: (text: string) => string): Schema.JsonObject =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [map(name), mapTexts(value, map)]))

/** `storableText` for all text in a JSON value, names of members included. */
export const storable = <Value extends Schema.Json>(value: Value): Value => mapTexts(value, storableText) as Value

/** The same for a JSON object. */
export const storableRecord = <Value extends Schema.Json>(
  record: Readonly<Record<string, Value>>
): Readonly<Record<string, Value>> => mapRecord(record, storableText) as Readonly<Record<string, Value>>
