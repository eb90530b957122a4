import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { texts } from "./columns.ts"
import { MIGRATION_TABLE, type MigrationFailed, migrate } from "./Migrations.ts"
import { inStep, patiently } from "./migrations/runStep.ts"

/** The role that the apps are to connect as does not exist. Nothing was changed. */
export class RoleMissing extends Data.TaggedError("RoleMissing")<{ readonly role: string }> {
  override get message() {
    const name = /^[a-z_][a-z0-9_]*$/.test(this.role) ? this.role : `"${this.role.replaceAll('"', '""')}"`
    return `There is no role '${this.role}', which DATABASE_URL names. Make it with: create role ${name} login password '…'`
  }
}

/** Tables that the apps only read. */
const READ_ONLY = [MIGRATION_TABLE]

/**
 * Checks `role`, which the apps connect as, before `grantAccess` grants it anything. Undefined where this connection has the same role:
 * that one owns everything and needs no grants.
 */
export const separateRole = Effect.fnUntraced(function* (
  role: string
): Effect.fn.Return<string | undefined, RoleMissing | SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly is_owner: boolean; readonly exists: boolean }>`
    select current_user = ${role} as is_owner, exists (select from pg_roles where rolname = ${role}) as exists
  `
  if (found?.is_owner === true) return undefined
  return found?.exists === true ? role : yield* new RoleMissing({ role })
})

/**
 * Grants the role what the apps need and no more: the rows of every table that this connection's role owns in the schema of
 * the stores and in that of the queue, and its functions there. Everybody else loses the right to create anything, and to call
 * functions that act as their owner (`security definer`). Grants that are there already stay. It is done as a step of a migration is: in
 * one transaction that waits for no table for long (`inStep`), and again while a table is in use (`patiently`).
 */
export const grantAccess = (role: string, queueSchema: string): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  patiently(inStep(grant(role, queueSchema)))

/**
 * Selects the statements for what is not granted or revoked yet, and runs them, in any order. A function that acts as its owner and
 * that everybody may call is in both of the last parts: the role can call it only as part of everybody, and needs a grant of its own.
 *
 * Partitions by month are reached through their tables, and get no grants. The default partition of a table gets them: it has the
 * rows of months without a partition of their own, and these are deleted from it by its name (`PgDeliveryHistory`).
 *
 * The kinds of relations: `r` is a table, `p` one with partitions, `S` a sequence. `pg_has_role(…, 'usage')` asks whether this
 * connection's role may do what the owner may.
 */
const grant = Effect.fnUntraced(function* (role: string, queueSchema: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly statement: string }>`
    with app as (
      select oid, rolname as name from pg_roles where rolname = ${role}
    ), me as (
      select oid from pg_roles where rolname = current_user
    ), space as (
      select oid, nspname as name from pg_namespace
      where nspname in (current_schema(), ${queueSchema})
    ), relation as (
      select pg_class.oid, relkind as kind,
        case when relname = any(${texts(READ_ONLY)}) and space.name = current_schema() then '{select}'::text[]
          else '{select,insert,update,delete}' end as wanted
      from pg_class join space on space.oid = relnamespace join me on me.oid = relowner
      where space.name <> current_schema() or not relispartition or pg_get_expr(relpartbound, pg_class.oid) = 'DEFAULT'
    ), routine as (
      select pg_proc.oid, prosecdef as acts_as_owner from pg_proc join space on space.oid = pronamespace
        join me on me.oid = proowner
    )
    select format('revoke create, temporary on database %I from public', datname) as statement
      from pg_database where datname = current_database() and pg_has_role(datdba, 'usage')
        and (has_database_privilege('public', oid, 'create') or has_database_privilege('public', oid, 'temporary'))
    union all
    select format('grant connect on database %I to %I', datname, app.name)
      from pg_database, app where datname = current_database() and pg_has_role(datdba, 'usage')
        and not has_database_privilege(app.oid, pg_database.oid, 'connect')
    union all
    select format('revoke create on schema %I from public', nspname)
      from pg_namespace where nspname in (current_schema(), ${queueSchema}, 'public')
        and pg_has_role(nspowner, 'usage') and has_schema_privilege('public', oid, 'create')
    union all
    select format('grant usage on schema %I to %I', space.name, app.name)
      from space, app where not has_schema_privilege(app.oid, space.oid, 'usage')
    union all
    select format('grant %s on table %s to %I', array_to_string(wanted, ', '), relation.oid::regclass, app.name)
      from relation, app where kind in ('r', 'p')
        and not (select bool_and(has_table_privilege(app.oid, relation.oid, one)) from unnest(wanted) as one)
    union all
    select format('grant usage on sequence %s to %I', relation.oid::regclass, app.name)
      from relation, app where kind = 'S' and not has_sequence_privilege(app.oid, relation.oid, 'usage')
    union all
    select format('revoke execute on function %s from public', oid::regprocedure)
      from routine where acts_as_owner and has_function_privilege('public', oid, 'execute')
    union all
    select format('grant execute on function %s to %I', routine.oid::regprocedure, app.name)
      from routine, app where not has_function_privilege(app.oid, routine.oid, 'execute')
        or (acts_as_owner and has_function_privilege('public', routine.oid, 'execute'))
  `
  yield* Effect.forEach(rows, ({ statement }) => sql.unsafe(statement), { discard: true })
})

/** `migrate`, and then `grantAccess` for the role where the apps have one of their own. */
export const migrateFor = (
  role: string | undefined,
  queueSchema: string
): Effect.Effect<ReadonlyArray<string>, MigrationFailed, SqlClient.SqlClient> =>
  role === undefined ? migrate : Effect.tap(migrate, grantAccess(role, queueSchema))
