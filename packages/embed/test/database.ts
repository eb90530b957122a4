/** A database of a host: empty, and gone at the end. */
import { randomUUID } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, inject } from "vitest"

export interface HostOfTests extends AsyncDisposable {
  readonly url: string
  readonly pool: pg.Pool
  /** A client of the pool, which has it back at the end, whatever it was in the middle of. */
  readonly session: () => Promise<AsyncDisposable & { readonly client: pg.PoolClient }>
  /** The tables of a schema and their partitions, by name. */
  readonly tablesIn: (schema: string) => Promise<ReadonlyArray<string>>
  /** Every object of all schemas but these and Postgres's own, with what it is made of. */
  readonly everythingBut: (...schemas: ReadonlyArray<string>) => Promise<string>
}

const superuser = (): string => {
  const url = inject("postgresUrl") ?? process.env["TEST_DATABASE_URL"]
  if (url === undefined)
    throw new Error("Tests over Postgres need TEST_DATABASE_URL, or the setup of infra/vitest.config.ts")
  return url
}

const asAdmin = async (text: string) => {
  const client = new pg.Client({ connectionString: superuser() })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

export const hostDatabase = async (): Promise<HostOfTests> => {
  const name = `embed_test_${randomUUID().replaceAll("-", "")}`
  await asAdmin(`create database ${name}`)
  const url = new URL(superuser())
  url.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: url.href, max: 10 })
  // A pool has ended before its sessions have. What the drop below does to one of them is an error of the pool.
  pool.on("error", () => undefined)
  return {
    url: url.href,
    pool,
    session: async () => {
      const client = await pool.connect()
      return { client, [Symbol.asyncDispose]: async () => client.release(true) }
    },
    tablesIn: async (schema) => {
      const { rows } = await pool.query<{ name: string }>(
        `select relname as name from pg_class where relnamespace = to_regnamespace($1) and relkind in ('r', 'p') order by 1`,
        [schema]
      )
      return rows.map((row) => row.name)
    },
    everythingBut: async (...schemas) => {
      const { rows } = await pool.query(
        `select nspname, relname, relkind, attname, atttypid::regtype::text as type
         from pg_class join pg_namespace on pg_namespace.oid = relnamespace
         left join pg_attribute on attrelid = pg_class.oid and attnum > 0
         where nspname !~ '^pg_' and nspname <> 'information_schema' and nspname <> all($1)
         order by 1, 2, attnum`,
        [schemas]
      )
      return JSON.stringify(rows)
    },
    [Symbol.asyncDispose]: async () => {
      await pool.end()
      await asAdmin(`drop database if exists ${name} with (force)`)
    }
  }
}

/** The database that the tests of a file share. It is there once they run. */
export const sharedHost = (): (() => HostOfTests) => {
  let host: HostOfTests | undefined
  beforeAll(async () => {
    host = await hostDatabase()
  })
  afterAll(() => host?.[Symbol.asyncDispose]())
  return () => {
    if (host === undefined) throw new Error("The database is made before the first test, and is not there yet")
    return host
  }
}
