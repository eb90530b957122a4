import type { Schema } from "effect"

/** How many bytes a value is as JSON in UTF-8. */
export const jsonBytes = (value: Schema.Json): number => new TextEncoder().encode(JSON.stringify(value)).length
