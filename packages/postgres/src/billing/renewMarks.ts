/**
 * Repairs a database that was restored from a dump on another server, whose transactions have other numbers. A row's mark is the number of
 * the transaction that recorded it.
 */
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"

/** Rows of one kind, and how many of them are still to be rolled up. */
export interface MarkedRows {
  readonly kind: "model calls" | "corrections" | "runs" | "entries of activity"
  readonly rows: number
  readonly unrolled: number
}

/** The result. `needed` is false where all marks are of this server: then nothing is changed. */
export interface MarksRenewal {
  readonly needed: boolean
  readonly marked: ReadonlyArray<MarkedRows>
}

interface FactsRow {
  readonly needed: boolean
}

interface CountRow {
  readonly rows: bigint
  readonly unrolled: bigint
}

/** The place after all rows that are marked with transaction 1, the mark of those that are rolled up. Every server is past it. */
const BEGINNING = "1/ffffffff-ffff-ffff-ffff-ffffffffffff/ffffffff-ffff-ffff-ffff-ffffffffffff"

/** A place of the roll-ups, which is stored as the text `mark/workspace/id` (`places.ts`), as a row to compare with. */
const placeIn = (column: string): string =>
  `(split_part(${column}, '/', 1)::xid8, split_part(${column}, '/', 2)::uuid, split_part(${column}, '/', 3)::uuid)`

/** Each kind of row with the column of its mark, and the condition under which a row is rolled up. */
const KINDS = [
  {
    kind: "model calls",
    table: "agent_platform.model_call",
    mark: "recorded_xid",
    isRolled: `(recorded_xid, model_call.workspace_id, model_call.id) <= ${placeIn("calls_place")}`
  },
  {
    kind: "corrections",
    table: "agent_platform.usage_correction",
    mark: "recorded_xid",
    isRolled: `(recorded_xid, usage_correction.workspace_id, usage_correction.id) <= ${placeIn("corrections_place")}`
  },
  {
    kind: "runs",
    table: "agent_platform.run",
    mark: "ended_xid",
    isRolled: `(ended_xid, run.id) <= (split_part(runs_place, '/', 1)::xid8, split_part(runs_place, '/', 3)::uuid)`
  },
  // Activity is not rolled up. All of its entries count as old, and exports begin anew, in the order of their ids.
  { kind: "entries of activity", table: "agent_platform.activity", mark: "recorded_xid", isRolled: "true" }
] as const

/**
 * Gives restored rows marks of this server: rows that are rolled up count as old, the rest as new. It changes nothing where all
 * marks are of this server, so it can be repeated. `dryRun` only counts. It rewrites the ledger in one transaction; nothing may
 * have been recorded since the dump was restored.
 */
export const renewMarks = Effect.fn("postgres.renewMarks")(function* ({
  dryRun
}: {
  readonly dryRun: boolean
}): Effect.fn.Return<MarksRenewal, never, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const renewal = Effect.gen(function* () {
    // A large ledger takes longer than any other statement.
    yield* sql`set local statement_timeout = 0`
    yield* sql`select from agent_platform.roll_up_state for update`
    // A number that this server has not given out yet comes from another server.
    const isForeign = (mark: Statement.Fragment) => sql`${mark} >= pg_snapshot_xmax(pg_current_snapshot())`
    const places = ["calls_place", "corrections_place", "runs_place"].map((place) =>
      isForeign(sql`split_part(${sql(place)}, '/', 1)::xid8`)
    )
    const tables = KINDS.map(
      ({ mark, table }) => sql`exists (select from ${sql.literal(table)} where ${isForeign(sql`${sql(mark)}`)})`
    )
    const [facts] =
      yield* sql<FactsRow>`select coalesce(${sql.or([...places, ...tables])}, false) as needed from agent_platform.roll_up_state`
    if (facts?.needed !== true) return { needed: false, marked: [] }
    const marked: Array<MarkedRows> = []
    for (const { isRolled, kind, mark, table } of KINDS) {
      const [count] = yield* sql<CountRow>`
        select count(*) as rows, count(*) filter (where (${sql.literal(isRolled)}) is not true) as unrolled
        from ${sql.literal(table)}, agent_platform.roll_up_state where ${sql(mark)} is not null
      `
      marked.push({ kind, rows: Number(count?.rows ?? 0), unrolled: Number(count?.unrolled ?? 0) })
      if (dryRun) continue
      yield* sql`
        update ${sql.literal(table)} set ${sql(mark)} = case when ${sql.literal(isRolled)} then '1' else pg_current_xact_id() end
        from agent_platform.roll_up_state where ${sql(mark)} is not null
      `
    }
    if (!dryRun) {
      yield* sql`
        update agent_platform.roll_up_state set sample_mark = null, sample_at = null,
          calls_place = ${BEGINNING}, corrections_place = ${BEGINNING}, runs_place = ${BEGINNING}
      `
    }
    return { needed: true, marked }
  })
  return yield* renewal.pipe(sql.withTransaction, Effect.orDie)
})
