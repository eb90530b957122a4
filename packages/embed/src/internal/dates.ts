import { DateTime } from "effect"

export const dateOf = (at: DateTime.Utc): Date => DateTime.toDateUtc(at)

export const maybeDate = (at: DateTime.Utc | null): Date | null => (at === null ? null : dateOf(at))
