import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { SCHEMA } from "./connection.ts"

/** What waits in one queue. */
export interface WaitingJobs {
  readonly name: string
  readonly count: number
  /** For how long the oldest of them could have been taken. */
  readonly oldestSeconds: number
  /** How often the one that failed most was given back. */
  readonly retriesMax: number
}

export interface QueueFacts {
  /** Whether the queue has its tables. */
  readonly isInstalled: boolean
  /** Queues that were not made, of those that were asked for. */
  readonly missing: ReadonlyArray<string>
  /** Queues in which jobs are due or held. */
  readonly waiting: ReadonlyArray<WaitingJobs>
}

/** Asks what waits in these queues. Fails with SqlError where the database cannot be asked. */
export const inspectQueue = (
  kinds: ReadonlyArray<{ readonly name: string }>
): Effect.Effect<QueueFacts, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [tables] = yield* sql<{ readonly found: boolean }>`
      select to_regclass(${`${SCHEMA}.job`}) is not null as found
    `
    const names = kinds.map(({ name }) => name)
    if (tables?.found !== true) return { isInstalled: false, missing: names, waiting: [] }
    const queues = yield* sql<{ readonly name: string }>`select name from ${sql.literal(`${SCHEMA}.queue`)}`
    const made = new Set(queues.map(({ name }) => name))
    const waiting = yield* sql<WaitingJobs>`
      select name, count(*)::int as count, max(retry_count)::int as "retriesMax",
        extract(epoch from now() - min(start_after))::float8 as "oldestSeconds"
      from ${sql.literal(`${SCHEMA}.job`)}
      where state in ('created', 'retry', 'active') and start_after <= now() group by name order by name
    `
    return {
      isInstalled: true,
      missing: names.filter((name) => !made.has(name)),
      waiting: waiting.filter(({ name }) => names.includes(name))
    }
  })
