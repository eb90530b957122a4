/** The database of an entry point: by a URL, or by the pool that the host has anyway. */
import { type HostPool, installDomains, layerClient, layerHostPool, TIMEOUTS } from "@agent-platform/postgres"
import { DatabaseSchema, parseDatabaseUrl, parseSchema } from "@agent-platform/toolkit"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Result } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { EmbedError } from "./EmbedError.ts"
import type { LogEntry } from "./runtime.ts"

/** `postgres://user:password@host:port/database`, or a `pg.Pool`. */
export type HostDatabase = string | URL | HostPool

/** A database whose options were checked. */
export interface Installation {
  readonly schema: string
  /** The client, in the schema. */
  readonly client: Layer.Layer<Client, SqlError>
  /** The client for migrations, whose statements may take long. */
  readonly migrator: Layer.Layer<Client, SqlError>
}

type Client = PgClient.PgClient | SqlClient.SqlClient

/** Fewest connections of a pool: one listens or holds the lock of migrations, another is for a transaction, the third for the host. */
const POOL_MIN = 3

/** Refuses what is no pool, and a pool that is too small. */
const requirePool = (pool: HostPool): void => {
  if (typeof pool?.connect !== "function") {
    throw new EmbedError(
      "database_invalid",
      "database is the URL of a Postgres, as postgres://user:password@host/name, or a pg.Pool"
    )
  }
  const { options } = pool as { readonly options?: { readonly max?: unknown } }
  if (typeof options?.max === "number" && options.max < POOL_MIN) {
    throw new EmbedError(
      "database_invalid",
      `The pool has at most ${options.max} connections, and needs ${POOL_MIN}: one listens, or holds the lock of migrations`
    )
  }
}

/** Checks the options; nothing connects yet. */
const installationOf = (
  database: HostDatabase,
  schema: string,
  options: { readonly maxConnections?: number | undefined; readonly applicationName: string }
): Installation => {
  if (parseSchema(schema) === undefined) {
    throw new EmbedError(
      "schema_invalid",
      `schema is 1 to 40 small letters, digits and _, and begins with neither a digit nor pg_: ${JSON.stringify(schema)} is not`
    )
  }
  const inSchema = Layer.succeed(DatabaseSchema, schema)
  if (typeof database === "string" || database instanceof URL) {
    const parsed = parseDatabaseUrl(String(database))
    if (Result.isFailure(parsed)) throw new EmbedError("database_invalid", `The URL of the database ${parsed.failure}`)
    const url = Redacted.make(String(database))
    return {
      schema,
      client: Layer.provideMerge(layerClient({ url, ...options }), inSchema),
      migrator: Layer.provideMerge(layerClient({ url, maxConnections: 2, timeouts: TIMEOUTS.migrations }), inSchema)
    }
  }
  requirePool(database)
  const client = Layer.provideMerge(layerHostPool(database), inSchema)
  return { schema, client, migrator: client }
}

/** Where an entry point keeps its data, in a schema of a Postgres or in this process alone, and where it logs. */
export type Place = {
  /** Gets lines for your log; warnings and errors go to the console by default. */
  readonly log?: ((entry: LogEntry) => void) | undefined
} & (
  | {
      /** The URL of a Postgres, or a `pg.Pool` of yours. */
      readonly database: HostDatabase
      readonly memory?: undefined
      /** The schema that holds our tables, of the entry point's name by default. It is made by `migrate`. */
      readonly schema?: string | undefined
      /** Most connections to a database that is given by its URL; 10 by default. */
      readonly maxConnections?: number | undefined
    }
  | { readonly memory: true; readonly database?: undefined }
)

/** The place of the entry point of this name; undefined for memory. Nothing connects yet. */
export const placeOf = (
  name: string,
  given: {
    readonly database?: HostDatabase | undefined
    readonly memory?: true | undefined
    readonly schema?: string | undefined
    readonly maxConnections?: number | undefined
  }
): Installation | undefined => {
  const { database, maxConnections, memory, schema = `agent_${name}` } = given
  if (database === undefined && memory !== true) {
    throw new EmbedError(
      "option_invalid",
      "Either database says where everything is kept, or memory: true keeps it in this process alone"
    )
  }
  if (database === undefined) return undefined
  if (memory === true) throw new EmbedError("option_invalid", "database and memory exclude each other")
  return installationOf(database, schema, { maxConnections, applicationName: `agent-platform-${name}` })
}

export type Domains = Parameters<typeof installDomains>[0]

/** Makes the tables of these domains, and then runs `andThen` over the same database. Returns the steps run. */
export const install = <E>(
  { migrator }: Installation,
  domains: Domains,
  andThen: Effect.Effect<void, E, SqlClient.SqlClient>
) => installDomains(domains).pipe(Effect.tap(andThen), Effect.provide(migrator))

/** The ports of an entry point over Postgres, or in memory without an installation. The cast narrows them to those that both provide. */
export const layerStores = <Memory, Postgres, E>(
  installation: Installation | undefined,
  memory: Layer.Layer<Memory>,
  postgres: Layer.Layer<Postgres, E, Client>
): Layer.Layer<Extract<Memory, Postgres>, E | SqlError> =>
  installation === undefined
    ? memory
    : (Layer.provideMerge(postgres, installation.client) as Layer.Layer<Extract<Memory, Postgres>, E | SqlError>)
