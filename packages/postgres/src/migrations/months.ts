/**
 * Partitions by month, made and dropped by functions that act as the owner of the tables: the apps' role owns nothing. Each
 * knows its tables, names everything in full and takes nothing but a month. Ids are UUIDv7, which begin with the milliseconds of
 * their time: a month is a range of ids.
 */

/** How long this rare work waits for a lock before it gives up: while it waits, all others on the table wait behind it. */
const LOCK_SECONDS = 3

/** Set on every function, so that its names mean what Postgres has and not what a caller has put into a schema. */
const SEARCH_PATH = "set search_path = pg_catalog, pg_temp"

const DEFINER = `security definer ${SEARCH_PATH} set lock_timeout = '${LOCK_SECONDS}s'`

/** A function that only roles may call to which it was granted. */
const privately = (name: string, types: string, text: string): ReadonlyArray<string> => [
  text,
  `revoke execute on function ${name}(${types}) from public`
]

/** The functions behind those of all tables; they act as their caller. */
export const MONTH_FUNCTIONS = (schema: string): ReadonlyArray<string> => [
  ...privately(
    "first_id_of",
    "date",
    `create function first_id_of(month date) returns uuid language sql immutable strict ${SEARCH_PATH} as $$
      select (lpad(to_hex((extract(epoch from month::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
    $$`
  ),

  // Rows of a month that had no partition yet are in the default one, and move to the new one.
  ...privately(
    "attach_month",
    "text, text, date",
    `create function attach_month(parent text, key text, month date) returns void language plpgsql ${SEARCH_PATH} as $$
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
    $$`
  ),

  ...privately(
    "require_month",
    "date",
    `create function require_month(month date) returns void language plpgsql ${SEARCH_PATH} as $$
      begin
        if extract(day from month) is distinct from 1
            or month not between date '2000-01-01' and (now() + interval '10 years')::date then
          raise invalid_parameter_value using message = format('%s is not the first day of a month of these years', month);
        end if;
      end
    $$`
  )
]

/** Tables that have the same months, because their rows belong to each other. */
export interface MonthlyTables {
  /** Names the functions: `prepare_<name>_month` and `drop_<name>_month`. */
  readonly name: string
  /** Names the advisory lock under which their months are made and dropped. */
  readonly lock: string
  /** Each with the column whose ids have the time. Partitions are made and dropped in this order. */
  readonly tables: Readonly<Record<string, string>>
}

const lockOf = ({ lock }: MonthlyTables) =>
  `perform pg_advisory_xact_lock(hashtextextended('agent_platform.${lock}', 0));`

const lockTables = ({ tables }: MonthlyTables, schema: string) => {
  const names = Object.keys(tables).map((table) => `only ${schema}.${table}`)
  return `lock table ${names.join(", ")} in access exclusive mode;`
}

/** The function that makes a month's partitions where they are missing, and the partitions of this month and the next two. */
export const prepareMonths = (monthly: MonthlyTables, schema: string): ReadonlyArray<string> => {
  const name = `prepare_${monthly.name}_month`
  const [first] = Object.keys(monthly.tables)
  const attach = Object.entries(monthly.tables).map(
    ([table, key]) => `perform ${schema}.attach_month('${table}', '${key}', month);`
  )
  return [
    ...Object.keys(monthly.tables).map((table) => `create table ${table}_default partition of ${table} default`),
    ...privately(
      name,
      "date",
      `create function ${name}(month date) returns void language plpgsql strict ${DEFINER} as $$
        begin
          perform ${schema}.require_month(month);
          ${lockOf(monthly)}
          if to_regclass('${schema}.${first}' || to_char(month, '_YYYY_MM')) is not null then return; end if;
          ${lockTables(monthly, schema)}
          ${attach.join("\n")}
        end
      $$`
    ),
    `select ${name}((date_trunc('month', now() at time zone 'UTC') + ahead * interval '1 month')::date)
      from generate_series(0, 2) as ahead`
  ]
}

/**
 * The function that drops a month's partitions and returns whether it did. A month stays while its partition of `isKept.table` has a
 * row for which `isKept.where` is true. That is asked first without a lock, and again under the lock, when nobody can write any
 * more. A month that ended less than a day ago is refused: no retention is shorter.
 */
export const dropMonths = (
  monthly: MonthlyTables,
  schema: string,
  isKept: { readonly table: string; readonly where: string }
): ReadonlyArray<string> => {
  const name = `drop_${monthly.name}_month`
  const drops = Object.keys(monthly.tables).map(
    (table) => `execute format('drop table ${schema}.%I', '${table}' || suffix);`
  )
  return privately(
    name,
    "date",
    `create function ${name}(month date) returns boolean language plpgsql strict ${DEFINER} as $$
      declare
        suffix text;
        find_kept text;
        is_kept boolean;
      begin
        perform ${schema}.require_month(month);
        suffix := to_char(month, '_YYYY_MM');
        find_kept := format('select exists (select from ${schema}.%I where ${isKept.where.replaceAll("'", "''")})', '${isKept.table}' || suffix);
        if month + interval '1 month' > (now() - interval '1 day') at time zone 'UTC' then
          raise invalid_parameter_value using message = format('The month of %s has not been over for a day', month);
        end if;
        ${lockOf(monthly)}
        execute find_kept into is_kept;
        if is_kept then return false; end if;
        ${lockTables(monthly, schema)}
        execute find_kept into is_kept;
        if is_kept then return false; end if;
        ${drops.join("\n")}
        return true;
      end
    $$`
  )
}
