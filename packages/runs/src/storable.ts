import type { Schema } from "effect"

/**
 * Text that every store takes: NUL, and halves of surrogate pairs, which JSON can carry and a database's text cannot,
 * become the replacement character.
 */
export const storableText = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\uFFFD")

/** The same for all text in a JSON value, names of members included. */
export const storable = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value === "object" && value !== null) return storableRecord(value as Readonly<Record<string, Schema.Json>>)
  return value
}

/** The same for a JSON object. */
export const storableRecord = <Value extends Schema.Json>(
  record: Readonly<Record<string, Value>>
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [storableText(name), storable(value) as Value]))
