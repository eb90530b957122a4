/** Deletes and updates are bounded: one without a bound holds locks for longer the larger its table has grown. */

import type { TextFile } from "./boundaries.ts"
import { readSource } from "./source.ts"

const STORES = "packages/postgres/src/"
const MIGRATIONS = `${STORES}migrations/`

/** The keys of each table: sets of columns that name one row at most. A table of a single row has a key without columns. */
export type TableKeys = ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>

const columnsOf = (list: string): ReadonlyArray<string> => list.split(",").map((column) => column.trim())

/**
 * The keys that migrations declare: primary keys, unique constraints, and unique indexes over all rows and plain columns. They are found by
 * the layout of migrations: the bracket that closes a table stands two spaces in, and the bracket of such an index ends its statement.
 */
export const tableKeysOf = (files: ReadonlyArray<TextFile>): TableKeys => {
  const keys = new Map<string, Array<ReadonlyArray<string>>>()
  const text = files.flatMap((file) => (file.path.startsWith(MIGRATIONS) ? [file.text] : [])).join("\n")
  for (const [, table = "", body = ""] of text.matchAll(/create (?:unlogged )?table (\w+) \(([\s\S]*?)\n {2}\)/g)) {
    const ofConstraints = [...body.matchAll(/(?:primary key|unique) \(([^()]+)\)/g)].map(([, list = ""]) =>
      columnsOf(list)
    )
    const ofColumns = [...body.matchAll(/^\s*(\w+) [^\n(]*\b(?:primary key|unique)\b(?! \()/gm)].map(
      ([, column = ""]) => [column]
    )
    const ofOneRow = /boolean primary key default true check/.test(body) ? [[]] : []
    keys.set(table, [...ofConstraints, ...ofColumns, ...ofOneRow])
  }
  for (const [, table = "", list = ""] of text.matchAll(/create unique index \w+ on (\w+) \(([^()]+)\)`/g))
    keys.get(table)?.push(columnsOf(list))
  return keys
}

/** A delete or an update: the text from its verb to the end of its statement or subquery, with the code between `${` and `}`. */
export interface Write {
  readonly path: string
  readonly verb: string
  /** Undefined where the name is computed. */
  readonly table: string | undefined
  readonly text: string
}

const VERB = /\b(delete from|update) (?:agent_platform\.(\w+)|\$\{)/g

/** Where the statement or subquery ends in which `from` lies: at the bracket that closes it, or at the end of its template. */
const endOf = (text: string, from: number): number => {
  /** The templates that are open at a place, the code in them, and the brackets of both. */
  const open: Array<"`" | "{" | "("> = []
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at)
    const isCode = open.includes("{") && open.at(-1) !== "`"
    if (character === "`" && open.at(-1) === "`") open.pop()
    else if (character === "`" && isCode) open.push("`")
    else if (character === "`") return at
    else if (text.startsWith("${", at) || (character === "{" && isCode)) {
      open.push("{")
      if (character === "$") at++
    } else if (character === "}" && open.at(-1) === "{") open.pop()
    else if (character === "(") open.push("(")
    else if (character === ")" && open.pop() !== "(") return at
  }
  return text.length
}

/** The deletes and updates in the statements of stores. */
export const writesOf = ({ path, text }: TextFile): ReadonlyArray<Write> => {
  if (!path.startsWith(STORES) || path.startsWith(MIGRATIONS)) return []
  const { code } = readSource(text)
  return [...text.matchAll(VERB)].flatMap(({ 0: found, 1: verb = "", 2: table, index }) =>
    // Inside a literal the code is blank; a comment has no backtick around it, and is blank, too.
    code.slice(index, index + verb.length).trim() === "" && !isComment(text, index)
      ? [
          {
            path,
            verb,
            table,
            // Where the name is computed, `endOf` has to see the `${` that opens it.
            text: text.slice(index, endOf(text, index + found.length - (table === undefined ? 2 : 0)))
          }
        ]
      : []
  )
}

const isComment = (text: string, at: number): boolean =>
  /^\s*(?:\/\/|\*|\/\*)/.test(text.slice(text.lastIndexOf("\n", at) + 1, at))

const TENANT = new Set(["organization_id", "workspace_id"])

/** Fragments that compare the whole key of a row, or of a tally. */
const KEYED = /\$\{(?:runFence\(|fence\(|isSame\(|sql\.literal\(isSame\(|isStillTaken\}|isTallyOf\()/

const isCompared = (conditions: string, column: string): boolean =>
  new RegExp(
    `(?<![\\w.])(?:\\w+\\.)?${column}\\s*(?:=|in\\b)|\\((?:[\\w.]+, )*(?:\\w+\\.)?${column}(?:, [\\w.]+)*\\)\\s*(?:=|in\\b)`
  ).test(conditions)

/**
 * The columns of a key that a condition has to compare. Where `id` comes first and columns of the tenant follow, `id` is enough: those only
 * say whose the row is. Of any other key columns of the tenant are left out, but for one at the end, which tells rows apart (one for each
 * workspace). If that leaves a single id, it is enough, since no other tenant has it. Else it takes the whole key.
 */
const columnsToCompare = (key: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (key[0] === "id" && key.slice(1).every((column) => TENANT.has(column))) return ["id"]
  const rest = key.filter((column, place) => !TENANT.has(column) || (place > 0 && place === key.length - 1))
  return rest.length === 1 && /(?:^|_)id$/.test(rest[0] ?? "") ? rest : key
}

/** Whether a write is bounded: by a limit of its own, by a key of its table, or by a fragment that compares one. */
export const isBounded = (keys: TableKeys, { table, text }: Write): boolean => {
  if (/\blimit\s+\S/.test(text) || KEYED.test(text)) return true
  const where = /\bwhere\b/.exec(text)
  const conditions = where === null ? "" : text.slice(where.index)
  return (keys.get(table ?? "") ?? []).some((key) =>
    columnsToCompare(key).every((column) => isCompared(conditions, column))
  )
}

/** The writes that are not bounded, as `<file> <verb> <table>`. */
export const unboundedWrites = (keys: TableKeys, files: ReadonlyArray<TextFile>): ReadonlyArray<string> =>
  files
    .flatMap(writesOf)
    .flatMap((write) =>
      isBounded(keys, write) ? [] : [`${write.path.slice(STORES.length)}: ${write.verb} ${write.table ?? "…"}`]
    )
