/** Facts about the database for operators; judging them is up to the callers. */
import type { EventId } from "@agent-platform/kernel"
import type { DateTime } from "effect"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { readTimestamp } from "./columns.ts"
import { ageOf } from "./queueAges.ts"

/** The oldest Postgres that is supported, as `server_version_num` has it. */
export const POSTGRES_VERSION_MIN = 140_000

export interface DatabaseFacts {
  /** As in `server_version_num`, and the same for people. */
  readonly versionNumber: number
  readonly version: string
  /** The database's own clock. */
  readonly now: DateTime.Utc
  /** Whether nothing can be written: a standby, or `default_transaction_read_only`. */
  readonly isReadOnly: boolean
  /** Whether a commit survives a crash of the machine. */
  readonly isDurable: boolean
  /** Most connections of roles without privileges, and how many connections there are. */
  readonly connectionsMax: number
  readonly connections: number
  /** For how long the oldest open transaction has been open, and which application has it; null without one. */
  readonly oldestTransaction: { readonly seconds: number; readonly application: string } | null
  /** Transactions that were prepared for two-phase commit and left so. */
  readonly preparedTransactions: number
  readonly role: RoleFacts
}

/** The rights of this connection's role beyond reading and writing rows. */
export interface RoleFacts {
  readonly name: string
  /** Whether it is a superuser, or owns a table or may do all that an owner may. */
  readonly isOwner: boolean
  /** The kinds of things that it may create, in words: schemas and temporary tables in the database, tables in a schema. */
  readonly creates: ReadonlyArray<string>
}

export interface WorkFacts {
  /** For how long the run that has waited longest has been due; null when none is. */
  readonly oldestReadyRunSeconds: number | null
  /** Running runs whose lease has lapsed. */
  readonly lapsedRuns: number
  /** For how long the first event has waited that no worker has taken; null without one. */
  readonly oldestEventSeconds: number | null
  /** For how long the delivery that has waited longest has been due; null when none is. */
  readonly oldestDueDeliverySeconds: number | null
  /** For how long the first replay has waited that no worker has begun; null without one. */
  readonly oldestPendingReplaySeconds: number | null
  /** Whether there is a partition for the webhook history of next month. */
  readonly hasRoomNextMonth: boolean
}

interface DatabaseRow {
  readonly version_number: number
  readonly version: string
  readonly now: Date
  readonly is_read_only: boolean
  readonly is_durable: boolean
  readonly connections_max: number
  readonly connections: number
  readonly oldest_seconds: number | null
  readonly oldest_application: string | null
  readonly prepared: number
  readonly role: string
  readonly is_owner: boolean
  readonly creates: ReadonlyArray<string>
}

/** A run counts as lapsed this long after its lease: any worker would have noticed it within a few seconds. */
const LAPSED_SECONDS = 30

/** Asks the database about itself; its schema does not matter. Fails with SqlError where it cannot be asked. */
export const inspectDatabase: Effect.Effect<DatabaseFacts, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<DatabaseRow>`
    select current_setting('server_version_num')::int as version_number, current_setting('server_version') as version,
      clock_timestamp() as now,
      pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as is_read_only,
      current_setting('fsync')::boolean and current_setting('synchronous_commit') <> 'off' as is_durable,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int as connections_max,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      oldest.seconds as oldest_seconds, oldest.application as oldest_application,
      (select count(*)::int from pg_prepared_xacts) as prepared, current_user as role,
      exists (
        select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where relkind in ('r', 'p') and nspname !~ '^(pg_|information_schema$)' and pg_has_role(relowner, 'usage')
      ) or exists (select from pg_roles where rolname = current_user and rolsuper) as is_owner,
      array(
        select 'schemas' where has_database_privilege(current_database(), 'create')
        union all
        select 'temporary tables' where has_database_privilege(current_database(), 'temporary')
        union all
        select 'tables in the schema ' || nspname from pg_namespace
        where nspname !~ '^(pg_|information_schema$)' and has_schema_privilege(oid, 'create')
      ) as creates
    from (select 1) as one
    left join lateral (
      select extract(epoch from clock_timestamp() - xact_start)::float8 as seconds, application_name as application
      from pg_stat_activity
      where xact_start is not null and pid <> pg_backend_pid() and backend_type = 'client backend'
      order by xact_start limit 1
    ) as oldest on true
  `
  if (row === undefined) return yield* Effect.die(new Error("The database answers about itself"))
  const facts: DatabaseFacts = {
    versionNumber: row.version_number,
    version: row.version,
    now: readTimestamp(row.now),
    isReadOnly: row.is_read_only,
    isDurable: row.is_durable,
    connectionsMax: row.connections_max,
    connections: row.connections,
    oldestTransaction:
      row.oldest_seconds === null
        ? null
        : { seconds: row.oldest_seconds, application: row.oldest_application || "an unnamed application" },
    preparedTransactions: row.prepared,
    role: { name: row.role, isOwner: row.is_owner, creates: row.creates }
  }
  return facts
})

/** Asks what waits in the tables of a schema that is current. */
export const inspectWork: Effect.Effect<WorkFacts, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly ready_seconds: number | null
    readonly lapsed: number
    readonly event: EventId | null
    readonly due_seconds: number | null
    readonly replay_seconds: number | null
    readonly has_room: boolean
  }>`
    select
      (select extract(epoch from clock_timestamp() - min(due_at))::float8 from agent_platform.run where ready) as ready_seconds,
      (
        select count(*)::int from agent_platform.run
        where status = 'running' and lease_until < clock_timestamp() - ${LAPSED_SECONDS} * interval '1 second'
      ) as lapsed,
      (select event_id from agent_platform.event_outbox where taken_until is null or taken_until <= now() order by event_id limit 1) as event,
      (
        select extract(epoch from clock_timestamp() - min(due_at))::float8 from agent_platform.webhook_delivery
        where state = 'pending' and due_at <= clock_timestamp()
      ) as due_seconds,
      (
        select extract(epoch from clock_timestamp() - min(created_at))::float8 from agent_platform.webhook_replay where state = 'pending'
      ) as replay_seconds,
      to_regclass('agent_platform.webhook_delivery_' || to_char((now() at time zone 'UTC') + interval '1 month', 'YYYY_MM')) is not null
        as has_room
  `
  const facts: WorkFacts = {
    oldestReadyRunSeconds: row?.ready_seconds ?? null,
    lapsedRuns: row?.lapsed ?? 0,
    oldestEventSeconds: row?.event == null ? null : yield* ageOf(row.event),
    oldestDueDeliverySeconds: row?.due_seconds ?? null,
    oldestPendingReplaySeconds: row?.replay_seconds ?? null,
    hasRoomNextMonth: row?.has_room === true
  }
  return facts
})
