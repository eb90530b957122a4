import { parseDatabaseUrl } from "@agent-platform/toolkit"
import { Result } from "effect"

/** The end of a sentence about a database's URL that cannot be used; undefined where it can. */
export const databaseUrlFlaw = (text: string): string | undefined =>
  Result.match(parseDatabaseUrl(text), { onSuccess: () => undefined, onFailure: (detail) => detail })
