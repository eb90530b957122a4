/** Holds the tables of pg-boss to be its own, and proves that a statement on them is seen. */
import { assert, describe, it } from "@effect/vitest"
import { queueTableViolations } from "./queueTables.ts"
import { readRepository, TOP_FOLDER } from "./repository.ts"

const { files } = readRepository(TOP_FOLDER)
const linesOf = (text: string, path: string) =>
  queueTableViolations({ path, text }).map((one) => /:(\d+) /.exec(one)?.[1])

describe("the tables of pg-boss", () => {
  it("are named by no source", () => assert.deepStrictEqual(files.flatMap(queueTableViolations), []))

  it("are seen in strings and templates of any package, and not in comments, nor is the schema alone", () => {
    const path = "packages/postgres/src/planted.ts"
    const text =
      'const a = "pgboss"\n// pgboss.job\nconst b = `select 1 from pgboss.job`\nconst c = \'"pgboss"."queue"\'\nconst d = `${QUEUE_SCHEMA}.job`'
    assert.deepStrictEqual(linesOf(text, path), ["3", "4", "5"])
    assert.deepStrictEqual(linesOf(text, "packages/postgres/test/planted.test.ts"), [])
  })

  it("are asked by no statement of their own package, which sets its sessions and says what goes wrong", () => {
    const path = "packages/pg-boss/src/planted.ts"
    const statements = [
      "`select id from ${table}`",
      "`insert into ${table} (id)`",
      "`update ${table} set a = 1`",
      "`with a as (delete from job) select 1`",
      "'truncate job'",
      "`create unique index if not exists a on b (c)`",
      "'listen jobs'"
    ]
    for (const statement of statements) assert.deepStrictEqual(linesOf(`f(${statement})`, path), ["1"], statement)
    assert.deepStrictEqual(linesOf("const a = `set statement_timeout = '${seconds}s'`", path), [])
    assert.deepStrictEqual(linesOf('new Error("The job did not come to its end")', path), [])
  })
})
