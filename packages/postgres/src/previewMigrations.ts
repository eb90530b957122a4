import { DatabaseSchema } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { type MigrationFailed, nameOfStep, pending, STEPS, type Steps } from "./Migrations.ts"
import { locksOf, type StepLock } from "./migrations/previewStep.ts"

/** A table that a pending step locks, and how large it is. */
export interface PreviewedLock extends StepLock {
  /** The number of rows by the planner's statistics; 0 where it has none. */
  readonly rows: number
  /** The size of the table and of all its partitions, with indexes. */
  readonly bytes: number
}

/** A pending step with its locks on tables that are in use; those that it makes itself are left out. */
export interface PreviewedStep {
  /** A name such as `runs_0002_add_priority`. */
  readonly name: string
  readonly locks: ReadonlyArray<PreviewedLock>
}

const sizeOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const name = `${yield* DatabaseSchema}.${table}`
    const [row] = yield* sql<{ readonly rows: string; readonly bytes: string }>`
      select coalesce(sum(greatest(reltuples, 0)), 0)::bigint::text as rows,
        coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::text as bytes
      from pg_class where oid in (select relid from pg_partition_tree(to_regclass(${name})))
        or oid = to_regclass(${name})
    `
    return { rows: Number(row?.rows ?? 0), bytes: Number(row?.bytes ?? 0) }
  })

/** Lists the steps that `migrate` would run, and changes nothing. */
export const previewMigrations = Effect.fnUntraced(function* (
  steps: Steps = STEPS
): Effect.fn.Return<ReadonlyArray<PreviewedStep>, MigrationFailed | SqlError, SqlClient.SqlClient> {
  const schema = yield* DatabaseSchema
  return yield* Effect.forEach(yield* pending(steps), (one) =>
    Effect.map(
      Effect.forEach(locksOf(one.step, schema), (lock) =>
        Effect.map(sizeOf(lock.table), (size): PreviewedLock => ({ ...lock, ...size }))
      ),
      (locks) => ({ name: nameOfStep(one), locks })
    )
  )
})
