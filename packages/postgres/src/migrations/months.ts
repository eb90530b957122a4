/**
 * Partitions by month, made and dropped by functions that act as the owner of the tables: the apps' role owns nothing. Each
 * knows its tables, names everything in full and takes nothing but a month. Ids are UUIDv7, which begin with the milliseconds of
 * their time: a month is a range of ids.
 */

/** How long this rare work waits for a lock before it gives up: behind one that waits, everybody waits. */
const LOCK_SECONDS = 3

const DEFINER = `security definer set search_path = pg_catalog, pg_temp set lock_timeout = '${LOCK_SECONDS}s'`

const CALLER = "set search_path = pg_catalog, pg_temp"

/** A function that nobody may call who was not granted it. */
const privately = (name: string, types: string, text: string): ReadonlyArray<string> => [
  text,
  `revoke execute on function ${name}(${types}) from public`
]

/** The functions behind those of all tables; they act as their caller. */
export const MONTH_FUNCTIONS = (schema: string): ReadonlyArray<string> => [
  ...privately(
    "first_id_of",
    "date",
    `create function first_id_of(month date) returns uuid language sql immutable strict ${CALLER} as $$
      select (lpad(to_hex((extract(epoch from month::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
    $$`
  ),

  // Rows that came before there was a partition for their month lie in the default one, and move.
  ...privately(
    "attach_month",
    "text, text, date",
    `create function attach_month(parent text, key text, month date) returns void language plpgsql ${CALLER} as $$
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
    `create function require_month(month date) returns void language plpgsql ${CALLER} as $$
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
 * The function that drops a month's partitions and answers whether they are gone: a month stays in which \`isKept\`, given the
 * name of each table's partition, finds something. It is asked again once the tables are held, when nobody can write any more.
 * No retention is shorter than a day.
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
