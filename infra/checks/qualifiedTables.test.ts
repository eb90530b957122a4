/** Holds every statement to the schema of its tables, and proves that one without is seen. */
import { assert, describe, it } from "@effect/vitest"
import { qualifiedTableViolations, tablesOf } from "./qualifiedTables.ts"
import { readRepository, TOP_FOLDER } from "./repository.ts"

const { files } = readRepository(TOP_FOLDER)
const tables = tablesOf(files)
const violations = qualifiedTableViolations(tables)

describe("the tables of statements", () => {
  it("are named with their schema", () => {
    assert.includeMembers([...tables], ["run", "event", "workspace_rate", "webhook_delivery"])
    assert.deepStrictEqual(files.flatMap(violations), [])
  })

  it("are seen without it behind a comma", () => {
    const seen = (text: string) => violations({ path: "packages/postgres/src/planted.ts", text }).length
    assert.strictEqual(seen("const a = `select 1 from agent_platform.run, event`"), 1)
    assert.strictEqual(seen("const a = `update agent_platform.run set x = 1 from head as first, event other`"), 1)
    assert.strictEqual(seen("const a = `select session, run from agent_platform.run, agent_platform.event`"), 0)
    assert.strictEqual(seen("const a = `select 1 from agent_platform.run order by run.id, session.id`"), 0)
  })

  it("are seen without it in strings and templates of stores, and nowhere else", () => {
    const text =
      'const a = `select 1 from run`\n// from run\nconst b = "update session set x = 1"\nconst c = `from agent_platform.run join runs`'
    assert.lengthOf(violations({ path: "packages/postgres/src/planted.ts", text }), 2)
    assert.lengthOf(violations({ path: "packages/postgres/src/migrations/planted.ts", text }), 0)
    assert.lengthOf(violations({ path: "packages/runs/src/planted.ts", text }), 0)
  })
})
