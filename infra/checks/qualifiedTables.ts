/** Statements name the schema of their tables: a search path belongs to a session, which poolers share. */

import type { TextFile } from "./boundaries.ts"
import { lineAt, readSource } from "./source.ts"

const FOLDER = "packages/postgres/src/"
const MIGRATIONS = `${FOLDER}migrations/`

/** The names of the tables that migrations make. */
export const tablesOf = (files: ReadonlyArray<TextFile>): ReadonlyArray<string> =>
  files
    .filter(({ path }) => path.startsWith(MIGRATIONS))
    .flatMap(({ text }) => [...text.matchAll(/create (?:unlogged )?table ([a-z_]+) \(/g)].map(([, name = ""]) => name))

/** Places in the statements of stores that name one of these tables without its schema. */
export const qualifiedTableViolations =
  (tables: ReadonlyArray<string>) =>
  ({ path, text }: TextFile): ReadonlyArray<string> => {
    if (!path.startsWith(FOLDER) || path.startsWith(MIGRATIONS)) return []
    const bare = new RegExp(`\\b(?:from|join|into|update|using|only|lock table)\\s+(?:${tables.join("|")})\\b(?![.(])`)
    const source = readSource(text)
    return source.literals
      .filter((literal) => bare.test(literal.text))
      .map(({ at }) => `${path}:${lineAt(source, at)} names a table without its schema: agent_platform.<table>`)
  }
