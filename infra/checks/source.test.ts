/** Proves that code is distinguished from comments and strings, and that forbidden globals are seen in it. */
import { assert, describe, it } from "@effect/vitest"
import { environmentViolations, globalViolations, importViolations } from "./boundaries.ts"
import { computedImportsOf, importsOf, readSource } from "./source.ts"

const DOMAIN = "packages/runs/src/use-cases/planted.ts"
const HANDLER = "apps/api/src/handlers/planted.ts"

describe("imports", () => {
  it("are found in every form in which they can be written", () => {
    const text = [
      'import a, { type B } from "1"',
      "import '2'",
      'export * as c from "3"',
      'export type {\n  D\n} from\n  "4"',
      "const e = await import(`5`)",
      'type F = import("6").F',
      'const g = require("7")',
      'import h = require("8")',
      'import.meta.resolve("9")',
      'import(/* why */ "10")',
      'import i from/* why */"11"'
    ].join("\n")
    const found = importsOf(readSource(text)).map(({ specifier }) => Number(specifier))
    assert.deepStrictEqual(found, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  it("carry the line on which they stand", () => {
    const text = '/*\n * import "x"\n */\nconst quoted = `\n`\nimport "1"'
    assert.deepStrictEqual([...importsOf(readSource(text))], [{ specifier: "1", line: 6 }])
  })

  it("in comments, strings and regular expressions are none", () => {
    const text = [
      '// import "1"',
      '/** import { a } from "2" */',
      'const b = `import "3" ${c ? `from "4"` : \'}\'} from "5"`',
      "const d = 'import \"6\"'",
      'const e = /import "7"[/"]/.test(f) ? 1 / 2 : "from"',
      'const g = { from: "8", import: "9" }',
      'Array.from("10")'
    ].join("\n")
    assert.deepStrictEqual([...importsOf(readSource(text))], [])
  })

  it("whose path is computed are refused", () => {
    const text = "await import(path)\nawait import(`./${name}.ts`)\nawait import('./a.ts')"
    assert.deepStrictEqual([...computedImportsOf(readSource(text))], [1, 2])
    assert.strictEqual(importViolations({ path: DOMAIN, text }).length, 2)
  })
})

describe("globals of a pure package", () => {
  const used = (text: string, path = DOMAIN) => globalViolations({ path, text }).map((one) => one.split(" ").at(-1))

  it("are found wherever they are used as names", () => {
    assert.deepStrictEqual(used("new Date()"), ["Date"])
    assert.deepStrictEqual(used("const f = (at: Date) => `${Date.now()}`"), ["Date", "Date"])
    assert.deepStrictEqual(used("process.env.HOME"), ["process"])
    assert.deepStrictEqual(used("setTimeout(f, 1)"), ["setTimeout"])
    assert.deepStrictEqual(used("globalThis.crypto"), ["globalThis"])
    assert.deepStrictEqual(used("[...process.argv]"), ["process"])
    assert.deepStrictEqual(used("late ? fetch : undefined"), ["fetch"])
    assert.deepStrictEqual(used("late\n  ? at instanceof Date\n  : undefined"), ["Date"])
    assert.deepStrictEqual(used("Math.random() + Math.max(1)"), ["Math.random"])
    assert.deepStrictEqual(used("const { random } = Math"), ["Math.random"])
    assert.deepStrictEqual(used("console.log(1)", "packages/runs/src/memory/planted.ts"), ["console"])
    const receiver = "Date.now(); crypto.subtle; process.env; fetch(1)"
    assert.deepStrictEqual(used(receiver, "packages/receiver/src/planted.ts"), ["process"])
    assert.deepStrictEqual(used("performance.now()", "packages/kernel/src/planted.ts"), ["performance"])
  })

  it("are not members, keys, words in texts, or uses in an adapter", () => {
    assert.deepStrictEqual(used("Schema.Date; DateTime.now; store.fetch(1)"), [])
    assert.deepStrictEqual(used("type A = { readonly fetch: B; process?: C\n  console: D }"), [])
    assert.deepStrictEqual(used('import { Mac } from "effect/crypto" // process, Date'), [])
    assert.deepStrictEqual(used("const validDate = DateX + fetchAll(1)"), [])
    assert.deepStrictEqual(used("new Date()", "packages/egress/src/planted.ts"), [])
  })
})

describe("the environment", () => {
  const reads = (text: string, path = HANDLER) => environmentViolations({ path, text }).length

  it("is read in an app's config.ts alone", () => {
    for (const text of [
      "process.env.PORT",
      "process?.env",
      'process["env"]',
      "const { env } = process",
      'import { env } from "node:process"',
      'Deno.env.get("PORT")'
    ]) {
      assert.strictEqual(reads(text), 1, text)
      assert.strictEqual(reads(text, "packages/postgres/src/planted.ts"), 1, text)
      assert.strictEqual(reads(text, "apps/api/src/config.ts"), 0, text)
    }
    assert.strictEqual(reads("process.exit(1) // process.env"), 0)
    assert.strictEqual(reads('import { env } from "./config.ts"'), 0)
  })
})
