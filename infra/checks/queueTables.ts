/** The tables of pg-boss are its own: see docs/decisions/0020. A pure function over text, as the boundaries are. */

import type { TextFile } from "./boundaries.ts"
import { lineAt, readSource } from "./source.ts"

const ADAPTER = "packages/pg-boss/src/"

/** A table, type or function of pg-boss, by its schema. The schema alone may be named: rights are granted on it. */
const TABLE = /\bpgboss\s*"?\.\s*"?\w/i

const STATEMENT =
  /\b(?:select\b[\s\S]+\bfrom|insert\s+into|update\b[\s\S]*\bset|delete\s+from|truncate|alter\s+table|create\s+(?:\w+\s+)*(?:index|table)|lock\s+table|listen|notify)\b/i

/** Sources that name a table of pg-boss, and statements in the package that may only use its interface. */
export const queueTableViolations = ({ path, text }: TextFile): ReadonlyArray<string> => {
  if (/(?:^|\/)test\/|\.test\.ts$/.test(path)) return []
  const source = readSource(text)
  const [pattern, fault] = path.startsWith(ADAPTER)
    ? [STATEMENT, "writes SQL of its own: ask pg-boss by its interface"]
    : [TABLE, "names a table of pg-boss, which is private to it"]
  const bySchema = [...text.matchAll(/\$\{QUEUE_SCHEMA\}"?\./g)].map(({ index }) => index)
  const literals = source.literals.filter((literal) => pattern.test(literal.text)).map(({ at }) => at)
  return [...literals, ...bySchema].map((at) => `${path}:${lineAt(source, at)} ${fault}`)
}
