/** Statements name the schema of their tables: a search path belongs to a session, which poolers share. */

import type { TextFile } from "./boundaries.ts"
import { lineAt, readSource } from "./source.ts"

const STORES = "packages/postgres/src/"
const MIGRATIONS = `${STORES}migrations/`
/** The stores, and the tools of developers, whose databases have the same migrations. */
const FOLDERS = [STORES, "infra/bench/", "infra/system/", "infra/worst/"]

/** The names of the tables that migrations make. */
export const tablesOf = (files: ReadonlyArray<TextFile>): ReadonlyArray<string> =>
  files
    .filter(({ path }) => path.startsWith(MIGRATIONS))
    .flatMap(({ text }) => [...text.matchAll(/create (?:unlogged )?table ([a-z_]+) \(/g)].map(([, name = ""]) => name))

/** Places in the statements of stores that name one of these tables without its schema. */
export const qualifiedTableViolations =
  (tables: ReadonlyArray<string>) =>
  ({ path, text }: TextFile): ReadonlyArray<string> => {
    if (!FOLDERS.some((folder) => path.startsWith(folder)) || path.startsWith(MIGRATIONS) || path.endsWith(".test.ts"))
      return []
    const names = `(?:${tables.join("|")})\\b(?![.(])`
    // Other tables, with or without aliases, may stand between `from` and the one that is found.
    const others = "(?:[a-z_.]+(?:\\s+(?:as\\s+)?[a-z_]+)?\\s*,\\s*)*"
    const bare = new RegExp(`\\b(?:(?:join|into|update|only|table|truncate)\\s+|(?:from|using)\\s+${others})${names}`)
    const source = readSource(text)
    return source.literals
      .filter((literal) => bare.test(literal.text))
      .map(({ at }) => `${path}:${lineAt(source, at)} names a table without its schema: agent_platform.<table>`)
  }
