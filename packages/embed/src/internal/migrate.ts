/** The tables of a door in a host's database. */
import type { SchemaTaken } from "@agent-platform/postgres"
import { Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { type Domains, type Installation, install } from "./database.ts"
import { EmbedError } from "./EmbedError.ts"
import { type Translate, thrownBy } from "./runtime.ts"

type Known = SchemaTaken | { readonly _tag: "DatabaseAhead" | "DatabaseUnreleased"; readonly message: string }

const translate: Translate = (given) => {
  const error = given as Known
  switch (error._tag) {
    case "SchemaTaken":
      return new EmbedError("schema_taken", error.message, { schema: error.schema }, given)
    case "DatabaseAhead":
    case "DatabaseUnreleased":
      return new EmbedError("schema_ahead", error.message, {}, given)
    default:
      return undefined
  }
}

/** Makes the tables of these domains, or brings them up to date, and answers the steps run; none in memory. */
export const migrate = async (
  installation: Installation | undefined,
  domains: Domains,
  andThen: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.void
): Promise<ReadonlyArray<string>> => {
  if (installation === undefined) return []
  const exit = await Effect.runPromiseExit(install(installation, domains, andThen))
  if (Exit.isSuccess(exit)) return exit.value
  throw thrownBy(exit.cause, translate, installation.schema)
}
