/** The tables of an entry point in a host's database. */
import { Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { type Domains, type Installation, install } from "./database.ts"
import { thrownBy } from "./runtime.ts"
import { translateSchema } from "./translateSchema.ts"

/** Makes the tables of these domains, or brings them up to date, and returns the steps run; none in memory. */
export const migrate = async (
  installation: Installation | undefined,
  domains: Domains,
  andThen: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.void
): Promise<ReadonlyArray<string>> => {
  if (installation === undefined) return []
  const exit = await Effect.runPromiseExit(install(installation, domains, andThen))
  if (Exit.isSuccess(exit)) return exit.value
  throw thrownBy(exit.cause, translateSchema(installation.schema), installation.schema)
}
