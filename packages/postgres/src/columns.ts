/** How values travel into parameters and out of columns. The client infers types from values, so arrays name theirs. */
import { PgTypes } from "@effect/sql-pg"
import { DateTime, Result } from "effect"

const { OID } = PgTypes

/** Sorts before every id. */
export const FIRST_ID = "00000000-0000-0000-0000-000000000000"

const arrayOf = (values: ReadonlyArray<unknown>, oid: number): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, oid))

/** A `uuid[]` parameter; its elements may be null. */
export const uuids = (values: ReadonlyArray<string | null>): PgTypes.Parameter => arrayOf(values, OID.uuid)

/** A `text[]` parameter; its elements may be null. */
export const texts = (values: ReadonlyArray<string | null>): PgTypes.Parameter => arrayOf(values, OID.text)

/** An `int[]` parameter; its elements may be null. */
export const integers = (values: ReadonlyArray<number | null>): PgTypes.Parameter => arrayOf(values, OID.int4)

/** A `timestamptz[]` parameter; its elements may be null. */
export const timestamps = (values: ReadonlyArray<DateTime.Utc | null>): PgTypes.Parameter =>
  arrayOf(
    values.map((at) => (at === null ? null : DateTime.toEpochMillis(at))),
    OID.timestamptz
  )

/** A `jsonb` parameter: the client takes no plain object for one. */
export const jsonb = (value: unknown): PgTypes.Parameter => PgTypes.jsonb(value)

/** A `timestamptz` parameter. Times have milliseconds everywhere: the client cuts off what is finer when it reads. */
export const timestamp = (at: DateTime.Utc): Date => DateTime.toDateUtc(at)

/** As `timestamp`, null for null. */
export const nullableTimestamp = (at: DateTime.Utc | null): Date | null => (at === null ? null : timestamp(at))

/** The time in a `timestamptz` column: as the client reads it, or as it is written in JSON. */
export const readTimestamp = (at: Date | string): DateTime.Utc =>
  DateTime.fromDateUnsafe(typeof at === "string" ? new Date(at) : at)

/** As `readTimestamp`, null for null. */
export const readNullableTimestamp = (at: Date | string | null): DateTime.Utc | null =>
  at === null ? null : readTimestamp(at)
