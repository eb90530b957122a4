import { Context } from "effect"

/** The schema unless another is chosen. Statements are written with its name, so that none depends on a search path. */
export const DEFAULT_SCHEMA = "agent_platform"

/** The schema of a database that holds the tables, functions, locks and channels of a process's adapters. */
export const DatabaseSchema = Context.Reference<string>("@agent-platform/toolkit/DatabaseSchema", {
  defaultValue: () => DEFAULT_SCHEMA
})

/** A name that Postgres takes without quotes, of at most 40 characters; `pg_…` is Postgres's own. */
export const parseSchema = (name: string): string | undefined =>
  /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,39}$/.test(name) ? name : undefined
