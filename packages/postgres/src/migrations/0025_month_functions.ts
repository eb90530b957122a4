/**
 * Partitions by month are made and dropped by these functions, which act as the owner of the tables: the apps' role owns
 * nothing. Each knows its tables, names everything in full and takes nothing but a month. `attach_month` and `first_id_of` serve
 * the others and act as their caller.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** How long this rare work waits for a lock before it gives up: behind one that waits, everybody waits. */
const LOCK_SECONDS = 3

const DEFINER = `security definer set search_path = pg_catalog, pg_temp set lock_timeout = '${LOCK_SECONDS}s'`

/** The functions in the schema of this name. */
const functionsIn = (schema: string): ReadonlyArray<string> => [
  // Ids are UUIDv7, which begin with the milliseconds of their time: a month is a range of ids.
  `create function first_id_of(month date) returns uuid
    language sql immutable strict set search_path = pg_catalog, pg_temp as $$
    select (lpad(to_hex((extract(epoch from month::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
  $$`,

  // Rows that came before there was a partition for their month lie in the default one, and move.
  `create function attach_month(parent text, key text, month date) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    declare
      partition constant text := parent || to_char(month, '_YYYY_MM');
      first constant uuid := ${schema}.first_id_of(month);
      past constant uuid := ${schema}.first_id_of((month + interval '1 month')::date);
    begin
      execute format('create table ${schema}.%I (like ${schema}.%I including all)', partition, parent);
      execute format(
        'with moved as (delete from ${schema}.%I where %I >= %L and %I < %L returning *)
          insert into ${schema}.%I select * from moved',
        parent || '_default', key, first, key, past, partition
      );
      execute format(
        'alter table ${schema}.%I attach partition ${schema}.%I for values from (%L) to (%L)',
        parent, partition, first, past
      );
    end
  $$`,

  `create function require_month(month date) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    begin
      if extract(day from month) is distinct from 1
          or month not between date '2000-01-01' and (now() + interval '10 years')::date then
        raise invalid_parameter_value using message = format('%s is not the first day of a month of these years', month);
      end if;
    end
  $$`,

  `create function prepare_call_month(month date) returns void
    language plpgsql strict ${DEFINER} as $$
    begin
      perform ${schema}.require_month(month);
      perform pg_advisory_xact_lock(hashtextextended('agent_platform.model_call', 0));
      if to_regclass('${schema}.model_call' || to_char(month, '_YYYY_MM')) is not null then return; end if;
      lock table ${schema}.model_call in access exclusive mode;
      perform ${schema}.attach_month('model_call', 'id', month);
    end
  $$`,

  `create function prepare_delivery_month(month date) returns void
    language plpgsql strict ${DEFINER} as $$
    begin
      perform ${schema}.require_month(month);
      perform pg_advisory_xact_lock(hashtextextended('agent_platform.delivery_history', 0));
      if to_regclass('${schema}.webhook_delivery' || to_char(month, '_YYYY_MM')) is not null then return; end if;
      lock table only ${schema}.event, only ${schema}.webhook_delivery, only ${schema}.webhook_attempt
        in access exclusive mode;
      perform ${schema}.attach_month('event', 'id', month);
      perform ${schema}.attach_month('webhook_delivery', 'event_id', month);
      perform ${schema}.attach_month('webhook_attempt', 'event_id', month);
    end
  $$`,

  // Answers whether the month is gone: one in which a delivery is pending stays. It is looked for again once the tables are
  // held, when nobody can replay anything any more. No retention is shorter than a day.
  `create function drop_delivery_month(month date) returns boolean
    language plpgsql strict ${DEFINER} as $$
    declare
      suffix text;
      is_pending text;
      is_kept boolean;
    begin
      perform ${schema}.require_month(month);
      suffix := to_char(month, '_YYYY_MM');
      is_pending := format(
        'select exists (select from ${schema}.%I where state = ''pending'')', 'webhook_delivery' || suffix
      );
      if month + interval '1 month' > (now() - interval '1 day') at time zone 'UTC' then
        raise invalid_parameter_value using message = format('The month of %s has not been over for a day', month);
      end if;
      perform pg_advisory_xact_lock(hashtextextended('agent_platform.delivery_history', 0));
      execute is_pending into is_kept;
      if is_kept then return false; end if;
      lock table only ${schema}.event, only ${schema}.webhook_delivery, only ${schema}.webhook_attempt
        in access exclusive mode;
      execute is_pending into is_kept;
      if is_kept then return false; end if;
      execute format('drop table ${schema}.%I', 'event' || suffix);
      execute format('drop table ${schema}.%I', 'webhook_delivery' || suffix);
      execute format('drop table ${schema}.%I', 'webhook_attempt' || suffix);
      return true;
    end
  $$`,

  ...[
    "first_id_of(date)",
    "attach_month(text, text, date)",
    "require_month(date)",
    "prepare_call_month(date)",
    "prepare_delivery_month(date)",
    "drop_delivery_month(date)"
  ].map((name) => `revoke execute on function ${name} from public`)
]

export const monthFunctions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly schema: string }>`select quote_ident(current_schema()) as schema`
  yield* Effect.forEach(functionsIn(row?.schema ?? "public"), (text) => sql.unsafe(text), { discard: true })
})
