/** Makes the tables of single domains in the database of a host, a service that embeds them, next to its own. */
import { DatabaseSchema } from "@agent-platform/toolkit"
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { type MigrationFailed, migrateDomains, nameOfStep, pending, STEPS } from "./Migrations.ts"
import type { Domain } from "./migrations/Step.ts"

/** The schema has objects with names of the platform, or belongs to another installation. Nothing was changed. */
export class SchemaTaken extends Data.TaggedError("SchemaTaken")<{ readonly schema: string; readonly detail: string }> {
  override get message() {
    return `The schema "${this.schema}" ${this.detail}. Nothing was changed: choose another schema`
  }
}

/** The names of the tables and functions that the first steps of these domains make. */
const namesOf = (domains: ReadonlyArray<Domain>, schema: string): ReadonlyArray<string> =>
  domains
    .flatMap((domain) => STEPS[domain].slice(0, 1))
    .flatMap((step) => ("statements" in step ? step.statements(schema) : []))
    .flatMap((text) => /^\s*create (?:table|function) (\w+)/.exec(text)?.[1] ?? [])

/** Fails unless the schema is missing, holds an installation of these domains, or has no object with a name of the platform. */
const requireRoom = Effect.fnUntraced(function* (domains: ReadonlyArray<Domain>) {
  const sql = yield* SqlClient.SqlClient
  const schema = yield* DatabaseSchema
  const taken = (detail: string) => new SchemaTaken({ schema, detail })
  const there = yield* sql<{ readonly name: string }>`
    select relname::text as name from pg_class
      where relnamespace = to_regnamespace(${schema}) and relkind in ('r', 'p', 'v', 'm', 'f')
    union select proname::text from pg_proc where pronamespace = to_regnamespace(${schema})
  `
  const names = new Set(there.map(({ name }) => name))
  const [kept] = yield* sql<{ readonly is_ours: boolean }>`
    select count(*) = 3 as is_ours from pg_attribute
    where attrelid = to_regclass(${`${schema}.platform_migration`}) and attname in ('domain', 'number', 'run_at')
  `
  if (names.has("platform_migration")) {
    if (kept?.is_ours !== true) return yield* taken("has a table platform_migration that is not ours")
    const installed = yield* sql<{ readonly domain: Domain }>`
      select distinct domain from agent_platform.platform_migration order by domain
    `
    const others = installed.filter(({ domain }) => !domains.includes(domain))
    if (others.length > 0) {
      return yield* taken(
        `holds tables of ${others.map(({ domain }) => domain).join(", ")} that would refer to each other`
      )
    }
    if (installed.length > 0) return
  }
  if (["version", "job", "queue"].every((name) => names.has(name))) return yield* taken("is that of a pg-boss")
  const inTheWay = namesOf(domains, schema).filter((name) => names.has(name))
  if (inTheWay.length > 0) return yield* taken(`has ${inTheWay.join(", ")} already, which we did not make`)
})

/**
 * Brings the tables of these domains up to date, and returns the names of the steps that it ran. The schema may hold objects of the
 * host, as long as none has the name of one of the platform; else it fails with SchemaTaken. It also fails as `migrateDomains` does.
 */
export const installDomains = (
  domains: ReadonlyArray<Domain>
): Effect.Effect<ReadonlyArray<string>, MigrationFailed | SchemaTaken | SqlError, SqlClient.SqlClient> =>
  Effect.andThen(requireRoom(["shared", ...domains]), migrateDomains(domains))

/** The schema lacks steps of this release, or all of them. */
export class DatabaseBehind extends Data.TaggedError("DatabaseBehind")<{
  readonly schema: string
  /** The names of the steps that were not run. */
  readonly steps: ReadonlyArray<string>
}> {
  override get message() {
    return `The schema "${this.schema}" lacks ${this.steps.length} steps of this release, beginning with ${this.steps[0]}`
  }
}

/**
 * Fails unless the tables of these domains are there: with DatabaseBehind where steps of this release were not run, and as `migrateDomains`
 * does where it would. Those of a later release are enough, since releases that follow each other run side by side. Changes nothing. A
 * role that may not read which steps were run is let through.
 */
export const requireInstalled = Effect.fnUntraced(function* (
  domains: ReadonlyArray<Domain>
): Effect.fn.Return<void, MigrationFailed | DatabaseBehind, SqlClient.SqlClient> {
  const isForbidden = (error: MigrationFailed): boolean =>
    error._tag === "SqlError" && error.reason._tag === "AuthorizationError"
  const steps = yield* Effect.catchIf(
    pending(STEPS, domains),
    (error) => error._tag === "DatabaseAhead" || isForbidden(error),
    () => Effect.succeed([])
  )
  if (steps.length > 0) {
    return yield* new DatabaseBehind({ schema: yield* DatabaseSchema, steps: steps.map(nameOfStep) })
  }
})
