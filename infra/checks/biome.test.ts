/** Proves that Biome bites too: the real binary, once, under the real configuration, over a folder of planted files. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { TOP_FOLDER } from "./repository.ts"

const DOMAIN = "packages/runs/src"
const APP = "apps/api/src"

/** Planted violations: the rule that has to report each, its folder, and its text. */
const planted = [
  ["effect/sql in a domain", "noRestrictedImports", DOMAIN, 'import { SqlClient } from "effect/sql"'],
  ["a module of Node in a domain", "noNodejsModules", DOMAIN, 'import { readFileSync } from "node:fs"'],
  ["another domain", "noRestrictedImports", DOMAIN, 'import type { Keys } from "@agent-platform/keys"'],
  ["an undeclared package", "noUndeclaredDependencies", DOMAIN, 'import { pino } from "pino"'],
  ["a path out of the package", "noRestrictedImports", DOMAIN, 'export * from "../../keys/src/index.ts"'],
  ["./testing from production code", "noRestrictedImports", DOMAIN, 'import { contract } from "./testing/index.ts"'],
  ["@effect/vitest behind ./memory", "noRestrictedImports", `${DOMAIN}/memory`, 'import { it } from "@effect/vitest"'],
  ["a deep path", "noRestrictedImports", DOMAIN, 'import { Uuid } from "@agent-platform/kernel/src/Ids.ts"'],
  ["a missing extension", "useImportExtensions", DOMAIN, 'import { Fine } from "./fine"'],
  ["Date", "noRestrictedGlobals", DOMAIN, "export const at = new Date()"],
  ["setTimeout", "noRestrictedGlobals", DOMAIN, "setTimeout(() => undefined, 1)"],
  ["Math.random", "noJsRestrictedProperties", DOMAIN, "export const chance = Math.random()"],
  ["any", "noExplicitAny", DOMAIN, "export const loose = (value: any) => value"],
  ["process.env in an adapter", "noProcessEnv", "packages/postgres/src", "export const home = process.env.HOME"],
  [
    "pg-boss in the postgres package",
    "noRestrictedImports",
    "packages/postgres/src",
    'import { PgBoss } from "pg-boss"'
  ],
  ["process.env in a handler", "noProcessEnv", APP, "export const home = process.env.HOME"],
  ["effect/sql in a handler", "noRestrictedImports", APP, 'import { SqlClient } from "effect/sql"'],
  ["one app in another", "noRestrictedImports", APP, 'import { main } from "@agent-platform/worker"'],
  ["console in an app", "noConsole", APP, 'console.log("hello")'],
  ["a cycle of files", "noImportCycles", APP, 'export * from "./planted20.ts"'],
  ["a cycle of files from its other side", "noImportCycles", APP, 'export * from "./planted19.ts"']
] as const

const FINE = {
  [`${DOMAIN}/fine.ts`]: `import { Context, Effect, Layer } from "effect"
import { Mac } from "effect/crypto"
import { UnitOfWork } from "@agent-platform/kernel"
export class Fine extends Context.Service<Fine, { readonly fetch: Effect.Effect<void> }>()("Fine") {
  static readonly layer = Layer.effect(this, Effect.gen(function* () {
    yield* UnitOfWork
    yield* Mac.Mac
    return this.of({ fetch: Effect.void })
  }))
}
export const nothing = Effect.gen(function* () {
  return 1
})`,
  [`${DOMAIN}/memory/index.ts`]: 'export { MemoryDatabase } from "@agent-platform/kernel/memory"',
  [`${DOMAIN}/testing/index.ts`]: 'export { it as contract } from "@effect/vitest"\nexport * from "../memory/index.ts"',
  [`${APP}/config.ts`]: "export const home = process.env.HOME",
  [`${APP}/layers.ts`]: 'export { SqlClient } from "effect/sql"\nexport { Run } from "@agent-platform/runs"'
}

const MANIFESTS = {
  "packages/runs": ["effect", "@agent-platform/kernel", "@effect/vitest"],
  "packages/postgres": ["effect", "pg-boss"],
  "apps/api": ["effect", "@agent-platform/runs", "@agent-platform/worker"]
}

describe("biome", () => {
  const pathOf = (folder: string, index: number) => `${folder}/planted${index}.ts`
  let top = ""
  let report: ReadonlyArray<string> = []

  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), "boundaries-"))
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(top, path)), { recursive: true })
      writeFileSync(join(top, path), `${text}\n`)
    }
    write("biome.json", JSON.stringify({ root: true, extends: [join(TOP_FOLDER, "biome.json")] }))
    for (const [folder, names] of Object.entries(MANIFESTS)) {
      const dependencies = Object.fromEntries(names.map((name) => [name, "1.0.0"]))
      write(`${folder}/package.json`, JSON.stringify({ dependencies }))
    }
    for (const [path, text] of Object.entries(FINE)) write(path, text)
    for (const [index, [, , folder, text]] of planted.entries()) write(pathOf(folder, index), text)
    const run = spawnSync(
      join(TOP_FOLDER, "node_modules/.bin/biome"),
      ["lint", "--reporter=github", "--max-diagnostics=none"],
      { cwd: top, encoding: "utf8" }
    )
    if (run.error !== undefined) throw run.error
    report = run.stdout.split("\n").filter((line) => line.startsWith("::"))
  })

  afterAll(() => rmSync(top, { recursive: true, force: true }))

  it.each(planted.map(([what, rule, folder], index) => ({ what, rule, path: pathOf(folder, index) })))(
    "reports $what",
    ({ rule, path }) => {
      const found = report.filter((line) => line.includes(path)).join("\n")
      assert.include(found, `/${rule},`)
    }
  )

  it("leaves Effect's idioms, the entry points and the imports of the table alone", () => {
    assert.isAbove(report.length, 0)
    for (const path of Object.keys(FINE))
      assert.deepStrictEqual(
        report.filter((line) => line.includes(path)),
        []
      )
  })
})
