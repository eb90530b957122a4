/**
 * Facts about the Postgres server for a support bundle, which is given to others: settings, sizes, sessions and locks. Nothing that
 * people choose is in them, such as statements and the names of roles, hosts, databases and other programs.
 */
import { texts } from "../columns.ts"
import { facts } from "./facts.ts"

/** The words of a text. */
const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** Settings whose values are numbers and words of Postgres. */
const SHOWN = words(`
  server_version server_encoding lc_collate timezone data_checksums block_size wal_block_size
  max_connections superuser_reserved_connections shared_buffers work_mem maintenance_work_mem
  effective_cache_size temp_buffers temp_file_limit huge_pages jit random_page_cost seq_page_cost
  effective_io_concurrency max_worker_processes max_parallel_workers max_parallel_workers_per_gather
  fsync synchronous_commit full_page_writes wal_level wal_compression commit_delay
  max_wal_size min_wal_size wal_buffers checkpoint_timeout checkpoint_completion_target
  archive_mode archive_timeout max_wal_senders max_replication_slots max_slot_wal_keep_size
  hot_standby hot_standby_feedback max_standby_streaming_delay wal_retrieve_retry_interval
  autovacuum autovacuum_max_workers autovacuum_naptime autovacuum_vacuum_cost_limit
  autovacuum_vacuum_cost_delay autovacuum_vacuum_scale_factor autovacuum_analyze_scale_factor
  autovacuum_freeze_max_age vacuum_cost_limit track_io_timing track_counts max_locks_per_transaction
  max_prepared_transactions default_transaction_isolation default_transaction_read_only
  statement_timeout lock_timeout idle_in_transaction_session_timeout idle_session_timeout
  transaction_timeout tcp_keepalives_idle tcp_keepalives_interval tcp_keepalives_count deadlock_timeout
  ssl password_encryption row_security log_min_duration_statement io_method
`)

/** Settings that hold texts of an operator: only whether they are set is told. */
const HIDDEN = ["archive_command", "restore_command", "synchronous_standby_names", "shared_preload_libraries"]

/** The settings that matter; those in `HIDDEN` have only `is_set`. */
export const serverSettings = facts`
  select name, case when lower(name) = any(${texts(SHOWN)}) then setting end as value, unit, source,
    case when lower(name) = any(${texts(HIDDEN)}) then setting not in ('', '(disabled)') end as is_set, pending_restart
  from pg_settings where lower(name) = any(${texts([...SHOWN, ...HIDDEN])}) order by name
`

/** Size, age and counters of the database. */
export const databaseCounters = facts`
  select pg_database_size(datname)::float8 as bytes, age(pg_database.datfrozenxid) as oldest_transaction_id_age,
    xact_commit::float8 as commits, xact_rollback::float8 as rollbacks, deadlocks::float8, conflicts::float8,
    temp_files::float8, temp_bytes::float8, blks_read::float8 as blocks_read, blks_hit::float8 as blocks_hit,
    checksum_failures::float8, stats_reset, pg_is_in_recovery() as is_standby, pg_postmaster_start_time() as server_started_at,
    (select count(*)::int from pg_prepared_xacts) as prepared_transactions,
    (select count(*)::int from pg_stat_replication) as standbys,
    (select count(*)::int from pg_replication_slots) as replication_slots,
    (select count(*)::int from pg_replication_slots where not active) as inactive_replication_slots
  from pg_stat_database join pg_database using (datname) where datname = current_database()
`

/** Most tables, transactions and locks that are listed, each. */
const LISTED_MAX = 500

/** Sizes, rows, and last vacuums of our tables and of those of the queue, whose schema is `queueSchema`; largest first. */
export const tableSizes = (queueSchema: string) =>
  facts`
      select case when relnamespace = ours.oid then 'platform' else 'queue' end as part, pg_class.relname as name,
        pg_table_size(pg_class.oid)::float8 as table_bytes, pg_indexes_size(pg_class.oid)::float8 as index_bytes,
        reltuples::float8 as rows_estimated, n_live_tup::float8 as live_rows, n_dead_tup::float8 as dead_rows,
        seq_scan::float8 as sequential_scans, n_tup_ins::float8 as inserted, n_tup_upd::float8 as updated,
        n_tup_hot_upd::float8 as updated_in_place, n_tup_del::float8 as deleted,
        greatest(last_vacuum, last_autovacuum) as last_vacuum_at, greatest(last_analyze, last_autoanalyze) as last_analyze_at,
        age(relfrozenxid) as oldest_transaction_id_age
      from pg_class
      cross join (select relnamespace as oid from pg_class where oid = to_regclass('agent_platform.platform_migration')) as ours
      left join pg_stat_all_tables on relid = pg_class.oid
      where relkind = 'r' and relnamespace in (ours.oid, to_regnamespace(quote_ident(${queueSchema})))
      order by pg_total_relation_size(pg_class.oid) desc, pg_class.relname limit ${LISTED_MAX}
  `

/** The names under which our programs connect. All others are listed as another program. */
const OURS = ["agent-platform-api", "agent-platform-worker", "agent-platform-admin", "agent-platform-queue"]

/** The first words of statements that are told; any other is left out, since it may be somebody's text. */
const VERBS = words(`
  select insert update delete merge with copy begin commit rollback listen notify
  vacuum analyze create alter drop lock truncate reindex cluster refresh fetch set
`)

/** How many sessions each program has, and since when the first. */
export const sessionCounts = facts`
  select case when application_name = any(${texts(OURS)}) then application_name else 'another program' end as program,
    coalesce(state, 'unknown') as state, count(*)::int as sessions, min(backend_start) as first_connected_at
  from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
  group by 1, 2 order by 1, 2
`

/**
 * Open transactions of the whole server, oldest first: by which program, for how long, and what they wait for. The pattern has no
 * backslash, which the template would drop.
 */
export const openTransactions = facts`
  select case when application_name = any(${texts(OURS)}) then application_name else 'another program' end as program,
    datname = current_database() as is_in_this_database, state,
    extract(epoch from clock_timestamp() - xact_start)::float8 as seconds,
    extract(epoch from clock_timestamp() - state_change)::float8 as seconds_in_state,
    backend_xid is not null as has_written, backend_xmin is not null as holds_snapshot, wait_event_type, wait_event,
    case when verb = any(${texts(VERBS)}) then verb end as statement, cardinality(pg_blocking_pids(pid)) as blocked_by
  from pg_stat_activity cross join lateral (select lower(substring(query from '^[[:space:]]*([A-Za-z]+)'))) as begun (verb)
  where xact_start is not null and pid <> pg_backend_pid()
  order by xact_start limit ${LISTED_MAX}
`

/** Locks on relations, and those that are waited for, by table and mode. */
export const heldLocks = facts`
  select locktype as kind, case
      when relation is null then null
      when relnamespace in (select relnamespace from pg_class where oid = to_regclass('agent_platform.platform_migration')) then relname
      else 'another relation'
    end as relation, mode, granted as is_granted, count(*)::int
  from pg_locks left join pg_class on pg_class.oid = relation
  where pid <> pg_backend_pid() and (not granted or locktype in ('relation', 'advisory'))
  group by 1, 2, 3, 4 order by is_granted, count desc, 1, 2, 3 limit ${LISTED_MAX}
`
