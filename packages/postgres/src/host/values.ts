/**
 * Values between sql-pg, in whose types statements and rows are written, and the client of a host. For a pool of `pg`, parameters
 * are encoded by sql-pg itself; answers come as text, since `pg` cannot read binary ones. For any other client parameters are texts,
 * too.
 */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

const { OID } = PgTypes

/** The name of each type by its OID, as a cast is written. */
const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(OID).map(([name, oid]) => [oid, castOf(name)]))

function castOf(name: string): string {
  return name.endsWith("Array") ? `${name.slice(0, -"Array".length)}[]` : name
}

const isSmall = (value: number) => Number.isInteger(value) && Math.abs(value) < 2 ** 31

/** A value with its type, by the rules of sql-pg where it names none; undefined where Postgres is to infer it from the statement. */
const inferred = (value: unknown): PgTypes.Parameter | undefined => {
  if (PgTypes.isParameter(value)) return value.oid === 0 ? undefined : value
  if (typeof value === "boolean") return PgTypes.bool(value)
  if (typeof value === "bigint") return PgTypes.int8(value)
  if (typeof value === "number") {
    if (isSmall(value)) return PgTypes.int4(value)
    return Number.isSafeInteger(value) ? PgTypes.int8(BigInt(value)) : PgTypes.float8(value)
  }
  if (value instanceof Date) return PgTypes.timestamptz(value)
  if (value instanceof Uint8Array) return PgTypes.bytea(value)
  return undefined
}

/** A value without a type, as text. */
const plain = (value: unknown): string | null => {
  const given = PgTypes.isParameter(value) ? value.value : value
  if (given === null || given === undefined) return null
  if (typeof given === "string") return given
  throw new Error(`A parameter of this kind needs a type: ${typeof given}`)
}

/** A statement and its values for `pg`: values that have a type are sent in its binary form, and the text names it. */
export const toHost = (text: string, params: ReadonlyArray<unknown>) => {
  const typed = params.map(inferred)
  return {
    text:
      params.length === 0
        ? text
        : text.replace(/\$(\d+)\b/g, (place, number) => {
            const oid = typed[Number(number) - 1]?.oid
            return oid === undefined ? place : `${place}::${NAMES.get(oid) ?? oid}`
          }),
    values: params.map((param, index) => {
      const parameter = typed[index]
      if (parameter === undefined) return plain(param)
      const bytes = Result.getOrThrow(PgTypes.encodeParameter(parameter))
      return bytes === null ? null : Buffer.from(bytes)
    })
  }
}

/** The types of arrays, each with the type of its elements. */
const ELEMENTS: ReadonlyMap<number, number> = new Map(
  Object.values(OID).flatMap((element): ReadonlyArray<[number, number]> => {
    const array = PgTypes.arrayOidFor(element)
    return array === undefined ? [] : [[array, element]]
  })
)

const quotedElement = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`

/** A value as Postgres reads it from text. */
const textOf = (oid: number, value: unknown): string | null => {
  const element = ELEMENTS.get(oid)
  if (element !== undefined && Array.isArray(value)) {
    const texts = value.map((item) => (item === null || item === undefined ? null : textOf(element, item)))
    return `{${texts.map((text) => (text === null ? "NULL" : quotedElement(text))).join(",")}}`
  }
  if (oid === OID.json || oid === OID.jsonb) return JSON.stringify(value)
  if (value === null || value === undefined) return null
  if (oid === OID.timestamptz) return new Date(value as Date | number).toISOString()
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`
  return String(value)
}

/** A statement whose values are all texts. A value with a type is cast to it in the statement, because clients treat types differently. */
export const toTexts = (text: string, params: ReadonlyArray<unknown>) => {
  const typed = params.map(inferred)
  return {
    text: text.replace(/\$(\d+)\b/g, (place, number) => {
      const oid = typed[Number(number) - 1]?.oid
      return oid === undefined ? place : `(${place}::text)::${NAMES.get(oid) ?? oid}`
    }),
    values: params.map((param, index) => {
      const parameter = typed[index]
      return parameter === undefined ? plain(param) : textOf(parameter.oid, parameter.value)
    })
  }
}

type Read = (text: string) => unknown

/** A time as Postgres writes it: `2026-11-24 09:00:00.123456+00`. Digits beyond milliseconds are cut off, as sql-pg does. */
const readTime: Read = (text) => {
  const [, day, time, millis = "", offset = "+00"] =
    /^(\d+-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,3})?\d*([+-]\d\d(?::\d\d)?)$/.exec(text) ?? []
  if (day === undefined) throw new Error(`Not a time that Postgres writes under DateStyle ISO: ${text}`)
  return new Date(`${day}T${time}${millis}${offset.length === 3 ? `${offset}:00` : offset}`)
}

const SCALARS: ReadonlyMap<number, Read> = new Map<number, Read>([
  [OID.bool, (text) => text === "t"],
  [OID.int2, Number],
  [OID.int4, Number],
  [OID.oid, Number],
  [OID.float4, Number],
  [OID.float8, Number],
  [OID.int8, BigInt],
  [OID.json, JSON.parse],
  [OID.jsonb, JSON.parse],
  [OID.timestamptz, readTime],
  [OID.bytea, (text) => new Uint8Array(Buffer.from(text.slice(2), "hex"))]
])

const asIs: Read = (text) => text

/** The elements of an array of one dimension: `{1,NULL,"a \"b\""}`. */
const readArray =
  (read: Read): Read =>
  (text) => {
    const elements: Array<unknown> = []
    for (const [, quoted, bare] of text.slice(1, -1).matchAll(/(?:"((?:[^"\\]|\\.)*)"|([^,]+))(?:,|$)/g)) {
      if (quoted !== undefined) elements.push(read(quoted.replace(/\\(.)/g, "$1")))
      else elements.push(bare === "NULL" ? null : read(bare ?? ""))
    }
    return elements
  }

const ARRAYS: ReadonlyMap<number, Read> = new Map(
  [...ELEMENTS].map(([array, element]) => [array, readArray(SCALARS.get(element) ?? asIs)])
)

/** The `types` of a query to `pg`: rows are read as sql-pg reads them, not by parsers that the host has set. */
export const HOST_TYPES = {
  getTypeParser: (oid: number): Read => SCALARS.get(oid) ?? ARRAYS.get(oid) ?? asIs
}
