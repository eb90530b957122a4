/** The locks that a step takes on tables that are in use, and whether it holds them while it goes through all rows. */
import type { Step } from "./Step.ts"

/** A lock of a step on a table that others may be using. */
export interface StepLock {
  readonly table: string
  /** Postgres's name of the lock; `access exclusive` waits for and holds up everybody, `row exclusive` nobody who reads or writes. */
  readonly lock: "access exclusive" | "share row exclusive" | "share" | "share update exclusive" | "row exclusive"
  /** Whether it is held for as long as going through all rows takes. */
  readonly isLong: boolean
}

const NAME = "(?:only )?([a-z_0-9.]+)"

/** The lock of a statement by its beginning; the first pattern that fits counts. `isLong` where all rows are read or written. */
const KINDS: ReadonlyArray<readonly [pattern: RegExp, lock: StepLock["lock"], isLong: boolean]> = [
  [RegExp(`^alter table ${NAME} validate constraint`), "share update exclusive", true],
  [RegExp(`^alter table ${NAME} add .*\\breferences\\b.*\\bnot valid$`), "share row exclusive", false],
  [RegExp(`^alter table ${NAME} add (?:constraint \\S+ )?foreign key`), "share row exclusive", true],
  [RegExp(`^alter table ${NAME} add .*\\bnot valid$`), "access exclusive", false],
  [RegExp(`^alter table ${NAME} add (?:constraint \\S+ )?(?:check|unique|primary|exclude)`), "access exclusive", true],
  [RegExp(`^alter table ${NAME} alter (?:column )?\\S+ (?:set data )?type`), "access exclusive", true],
  [RegExp(`^alter table ${NAME} alter (?:column )?\\S+ set not null`), "access exclusive", true],
  [RegExp(`^alter table ${NAME} add (?:column )?.*\\bgenerated always as\\b`), "access exclusive", true],
  [RegExp(`^alter table ${NAME}`), "access exclusive", false],
  [RegExp(`^create (?:unique )?index \\S+ on ${NAME}`), "share", true],
  [RegExp(`^create (?:or replace )?trigger .*? on ${NAME}`), "share row exclusive", false],
  [RegExp(`^drop table (?:if exists )?${NAME}`), "access exclusive", false],
  [RegExp(`^truncate (?:table )?${NAME}`), "access exclusive", false],
  [RegExp(`^lock table ${NAME}`), "access exclusive", false],
  [RegExp(`^(?:update|delete from|insert into) ${NAME}`), "row exclusive", true]
]

/** Statements that make something new, which nobody uses yet. */
const MADE = /^create (?:table|(?:or replace )?function|view|type) (?:if not exists )?([a-z_0-9.]+)/

const flat = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase()

const locksOfStatement = (text: string): ReadonlyArray<StepLock> => {
  for (const [pattern, lock, isLong] of KINDS) {
    const table = pattern.exec(text)?.[1]
    if (table !== undefined) return [{ table: table.replace(/^.*\./, ""), lock, isLong }]
  }
  return []
}

/** The locks of a step, in its order, on tables that it has not made itself. */
export const locksOf = (step: Step, schema: string): ReadonlyArray<StepLock> => {
  if ("index" in step) return [{ table: step.index.table, lock: "share update exclusive", isLong: true }]
  if ("backfill" in step) return [{ table: step.table, lock: "row exclusive", isLong: false }]
  const texts = step.statements(schema).map(flat)
  const made = new Set(texts.flatMap((text) => MADE.exec(text)?.[1]?.replace(/^.*\./, "") ?? []))
  return texts.flatMap(locksOfStatement).filter(({ table }) => !made.has(table))
}

/**
 * The reasons, in words, why a step would make running apps wait while it goes through a whole table; none for a step that may be
 * released. Statements on tables that the step makes itself do not count, because nobody waits for them.
 */
export const hazardsOf = (step: Step, schema: string): ReadonlyArray<string> =>
  locksOf(step, schema).flatMap(({ isLong, lock, table }) =>
    isLong && lock !== "share update exclusive"
      ? [`${step.name} goes through all of ${table} in one transaction, under a lock '${lock}'`]
      : []
  )
