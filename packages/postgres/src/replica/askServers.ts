/** Questions by which a primary and its standby are compared. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** The identity of a database: a primary and its physical standbys have the same, no other server has it. */
interface IdentityRow {
  readonly system: string
  readonly database: string
}

/** The end of the primary's log. */
export interface PrimaryPosition {
  readonly identity: string
  readonly position: bigint
}

/** How far a standby has replayed the log of its primary; `position` is undefined for a server that is no standby. */
export interface StandbyPosition {
  readonly identity: string
  readonly position: bigint | undefined
}

const identityIn = ({ database, system }: IdentityRow): string => `${system}/${database}`

const noAnswer = Effect.die(new Error("A server answers about itself"))

/**
 * Asks the primary where its log ends. All earlier commits have a lower position, because a commit is answered once it is written; with
 * `synchronous_commit` off it may be answered up to 0.6 s before that.
 */
export const askPrimary = (sql: SqlClient.SqlClient): Effect.Effect<PrimaryPosition, SqlError> =>
  Effect.flatMap(
    sql<IdentityRow & { readonly position: string }>`
      select system_identifier::text as system, current_database()::text as database,
        (pg_current_wal_lsn() - '0/0'::pg_lsn)::text as position
      from pg_control_system()
    `,
    ([row]) =>
      row === undefined ? noAnswer : Effect.succeed({ identity: identityIn(row), position: BigInt(row.position) })
  )

/** Asks a server that may be a standby. */
export const askStandby = (sql: SqlClient.SqlClient): Effect.Effect<StandbyPosition, SqlError> =>
  Effect.flatMap(
    sql<IdentityRow & { readonly position: string | null }>`
      select system_identifier::text as system, current_database()::text as database,
        case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text end as position
      from pg_control_system()
    `,
    ([row]) =>
      row === undefined
        ? noAnswer
        : Effect.succeed({
            identity: identityIn(row),
            position: row.position === null ? undefined : BigInt(row.position)
          })
  )

/** The reason why a server cannot stand in for the primary, as the end of a sentence about it; undefined where it is its standby. */
export const whyNoStandby = (standby: StandbyPosition, primary: string): string | undefined => {
  if (standby.identity !== primary) return "is no copy of the database of DATABASE_URL"
  return standby.position === undefined ? "is a primary" : undefined
}
