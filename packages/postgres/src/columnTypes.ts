/** How the values of a property are stored in a column. Null is null in all of them; `nullable` only says so to the compiler. */
import { PgTypes } from "@effect/sql-pg"
import { DateTime } from "effect"
import { readTimestamp } from "./columns.ts"
import { readMoney } from "./money.ts"

const { OID } = PgTypes

/** How values of a kind are read out of a column and written into it. */
export interface ColumnType<A> {
  /** The column's name, where it is not that of the property. */
  readonly name: string | undefined
  /** The type in which the client sends many of them, as an array. */
  readonly oid: number
  readonly toElement: (value: A) => unknown
  /** The SQL that turns an element of the array, which goes by this name, into the column's value. */
  readonly fromElement: (element: string) => string
  readonly read: (stored: unknown) => A
}

const asIs = (element: string): string => element

const make = <A, Stored>(
  oid: number,
  toElement: (value: A) => unknown,
  read: (stored: Stored) => A,
  fromElement: (element: string) => string = asIs
): ColumnType<A> => ({
  name: undefined,
  oid,
  toElement: (value) => (value === null ? null : toElement(value)),
  fromElement,
  read: (stored) => (stored === null ? null : read(stored as Stored)) as A
})

const unchanged = <A>(value: A): A => value

/** `uuid` */
export const uuid = <A extends string>() => make<A, A>(OID.uuid, unchanged, unchanged)

/** `text` */
export const text = <A extends string>() => make<A, A>(OID.text, unchanged, unchanged)

/** `integer` */
export const integer = () => make<number, number>(OID.int4, unchanged, unchanged)

/** `bigint`, for counts that a number holds exactly, and sums of them, which Postgres makes `numeric`. */
export const bigint = () => make<number, bigint | string>(OID.int8, BigInt, Number)

/** `double precision` */
export const double = () => make<number, number>(OID.float8, unchanged, unchanged)

/** `boolean` */
export const boolean = () => make<boolean, boolean>(OID.bool, unchanged, unchanged)

/** `timestamptz` */
export const timestamptz = () =>
  make<DateTime.Utc, Date | string>(OID.timestamptz, DateTime.toEpochMillis, readTimestamp)

/** `date`, as ISO text. The client reads it as a time, so statements select it as text. */
export const date = () => make<string, string>(OID.text, unchanged, unchanged, (element) => `${element}::date`)

/** `numeric(24, 12)`, as decimal text. */
export const money = () => make<string, string>(OID.text, unchanged, readMoney, (element) => `${element}::numeric`)

/** `jsonb` */
export const json = <A>() => make<A, A>(OID.text, JSON.stringify, unchanged, (element) => `${element}::jsonb`)

/** `json` */
export const plainJson = <A>() => make<A, A>(OID.text, JSON.stringify, unchanged, (element) => `${element}::json`)

/** `bytea` */
export const bytea = () => make<Uint8Array, Uint8Array>(OID.bytea, unchanged, unchanged)

/** `text[]`. Postgres has no arrays of arrays of different lengths, so many of them travel as JSON. */
export const texts = <A extends ReadonlyArray<string>>() =>
  make<A, A>(
    OID.text,
    JSON.stringify,
    unchanged,
    (element) => `case when ${element} is not null then array(select jsonb_array_elements_text(${element}::jsonb)) end`
  )

/** `text[]` as well, where an empty list is null: an empty array takes 13 bytes of each row. */
export const textsOrNull = <A extends ReadonlyArray<string>>(): ColumnType<A> => {
  const list = texts<A>()
  const none = [] as ReadonlyArray<string> as A
  return {
    ...list,
    toElement: (value) => (value.length === 0 ? null : list.toElement(value)),
    read: (stored) => (stored === null ? none : list.read(stored))
  }
}

/** `uuid[]`. Many of them travel as JSON, too. */
export const uuidList = <A extends ReadonlyArray<string>>() =>
  make<A, A>(
    OID.text,
    JSON.stringify,
    unchanged,
    (element) => `array(select jsonb_array_elements_text(${element}::jsonb)::uuid)`
  )

/** The same column where it may be null. */
export const nullable = <A>(type: ColumnType<A>) => type as ColumnType<A | null>

/** The same column under a name of its own. */
export const named = <A>(name: string, type: ColumnType<A>): ColumnType<A> => ({ ...type, name })
