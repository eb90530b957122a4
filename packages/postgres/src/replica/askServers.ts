/** Questions by which a primary and its standby are compared. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** A database of a server: the same on a primary and on its physical standbys alone. */
interface IdentityRow {
  readonly system: string
  readonly database: string
}

/** Where the primary's log ends. */
export interface PrimaryPosition {
  readonly identity: string
  readonly position: bigint
}

/** How far a server has replayed the log of another one; `position` is undefined where it is no standby. */
export interface StandbyPosition {
  readonly identity: string
  readonly position: bigint | undefined
}

const identityIn = ({ database, system }: IdentityRow): string => `${system}/${database}`

const noAnswer = Effect.die(new Error("A server answers about itself"))

/**
 * Everything that was committed before has a lower position, since a commit is answered once it is written. With
 * `synchronous_commit` off it is answered up to 0.6 s earlier.
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

/** Why a server cannot stand in for the primary, to end a sentence about it; undefined where it is one of its standbys. */
export const whyNoStandby = (standby: StandbyPosition, primary: string): string | undefined => {
  if (standby.identity !== primary) return "is no copy of the database of DATABASE_URL"
  return standby.position === undefined ? "is a primary" : undefined
}
