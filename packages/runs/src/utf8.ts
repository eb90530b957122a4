import type { Schema } from "effect"

const encoder = new TextEncoder()

/** Text as UTF-8. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/** How many bytes a value is as JSON in UTF-8. */
export const jsonBytes = (value: Schema.Json): number => utf8(JSON.stringify(value)).length
