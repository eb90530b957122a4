/** A Postgres for measurements, durable like a real one, that counts its statements. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { type Effect, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { startEmbeddedPostgres } from "../../local/EmbeddedPostgres.ts"
import { processorSeconds } from "./processes.ts"

/** The database's counters so far; differences are measured. */
export interface Effort {
  readonly statements: number
  readonly walBytes: number
  readonly processorSeconds: number
}

/** One statement and how often and how long it ran. */
export interface StatementCost {
  readonly calls: number
  readonly millis: number
  readonly text: string
}

/** The database of one measurement. */
export interface BenchDatabase {
  readonly url: string
  readonly run: <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) => Promise<A>
  readonly effort: () => Promise<Effort>
  /** The costliest statements since the last `forget`. */
  readonly costs: (limit: number) => Promise<ReadonlyArray<StatementCost>>
  readonly forget: () => Promise<void>
  /** The postmaster's process at this moment. */
  readonly pid: () => number
  readonly stop: () => Promise<void>
}

const clientOf = (url: string) =>
  ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url), maxConnections: 4, applicationName: "bench" }))

/** Starts a server of its own, and restarts it once so that it counts statements. */
export const startDatabase = async (): Promise<BenchDatabase> => {
  const home = mkdtempSync(join(tmpdir(), "agent-platform-bench-"))
  // Started by root, Postgres runs as another user, which has to pass through this folder.
  chmodSync(home, 0o711)
  const start = () => startEmbeddedPostgres({ dataDir: home, say: (line) => console.error(line) })
  const first = await start()
  const settings = clientOf(first.url)
  const set = (text: string) => settings.runPromise(SqlClient.SqlClient.use((sql) => sql.unsafe(text)))
  await set("alter system set shared_preload_libraries = 'pg_stat_statements'")
  await set("alter system set max_wal_size = '4GB'")
  await set("alter system set pg_stat_statements.track_planning = on")
  await settings.dispose()
  await first.stop("fast")
  const postgres = await start()
  const runtime = clientOf(postgres.url)
  const run: BenchDatabase["run"] = (effect) => runtime.runPromise(effect)
  const query = <Row extends object>(text: string) => run(SqlClient.SqlClient.use((sql) => sql.unsafe<Row>(text)))
  await query("create extension pg_stat_statements")
  return {
    url: postgres.url,
    run,
    effort: async () => {
      const [row] = await query<{ readonly calls: string; readonly wal: string }>(`
        select (select coalesce(sum(calls), 0)::text from pg_stat_statements) as calls,
          (pg_current_wal_insert_lsn() - '0/0')::text as wal
      `)
      return {
        statements: Number(row?.calls),
        walBytes: Number(row?.wal),
        processorSeconds: processorSeconds(postgres.pid(), { withChildren: true })
      }
    },
    costs: async (limit) => {
      const rows = await query<{ readonly calls: string; readonly millis: number; readonly text: string }>(`
        select calls::text, total_exec_time as millis, regexp_replace(query, '\\s+', ' ', 'g') as text
        from pg_stat_statements order by total_exec_time desc limit ${limit}
      `)
      return rows.map((row) => ({ ...row, calls: Number(row.calls) }))
    },
    forget: async () => void (await query("select pg_stat_statements_reset()")),
    pid: postgres.pid,
    stop: async () => {
      await runtime.dispose()
      await postgres.stop("fast")
      rmSync(home, { recursive: true, force: true })
    }
  }
}
