/** Proves that violations of boundaries are reported: each is planted as text. */
import { assert, describe, it } from "@effect/vitest"
import {
  importViolations,
  longerThan,
  nameViolations,
  sqlViolations,
  tableViolations,
  topLevelViolations
} from "./boundaries.ts"
import { cycles, dependencyViolations, domainViolations, type Manifest, type Package } from "./manifests.ts"
import { apps, packageRows, planned } from "./packages.ts"

const DOMAIN = "packages/runs/src/use-cases/planted.ts"
const MEMORY = "packages/runs/src/memory/planted.ts"
const TESTING = "packages/runs/src/testing/planted.ts"
const RECEIVER = "packages/receiver/src/planted.ts"
const HANDLER = "apps/api/src/handlers/planted.ts"

const importing = (path: string, specifier: string) => importViolations({ path, text: `import "${specifier}"` })

const refuses = (path: string, specifier: string) => {
  const [first, ...more] = importing(path, specifier)
  assert.include(first ?? "", `${path}:1 ${specifier} `)
  assert.deepStrictEqual(more, [])
}

const admits = (path: string, specifier: string) => assert.deepStrictEqual([...importing(path, specifier)], [])

describe("a package that stands alone", () => {
  it("imports its own files and nothing else", () => {
    admits(RECEIVER, "./verify.ts")
    for (const one of ["effect", "effect/crypto", "@agent-platform/kernel", "@agent-platform/client", "node:crypto"]) {
      refuses(RECEIVER, one)
    }
  })

  it("has no dependencies", () => {
    const manifest = { name: "@agent-platform/client", dependencies: { effect: "1" } }
    assert.deepStrictEqual(
      [...domainViolations({ folder: "packages/client", manifest, sources: [] })],
      ["packages/client stands alone and lists effect"]
    )
  })
})

describe("a domain's production code", () => {
  it("imports effect, its crypto and encoding, the kernel, the toolkit and its own files", () => {
    for (const one of ["effect", "effect/crypto", "effect/crypto/Mac", "effect/encoding"]) admits(DOMAIN, one)
    for (const one of ["@agent-platform/kernel", "@agent-platform/toolkit"]) admits(DOMAIN, one)
    for (const one of ["./startRun.ts", "../Run.ts", "../ports/RunQueue.ts"]) admits(DOMAIN, one)
  })

  it("imports no technology", () => {
    for (const one of ["effect/sql", "effect/sql/SqlClient", "effect/http", "effect/http-api", "@effect/sql-pg"]) {
      refuses(DOMAIN, one)
    }
    for (const one of ["node:fs", "fs", "undici", "effects", "effect/testing", "vitest"]) refuses(DOMAIN, one)
  })

  it("imports no other domain and no adapter", () => {
    for (const one of ["keys", "webhooks", "postgres", "platform", "api"]) refuses(DOMAIN, `@agent-platform/${one}`)
  })

  it("imports itself by relative paths only", () => refuses(DOMAIN, "@agent-platform/runs"))

  it("imports no entry point for tests, by name or by path", () => {
    for (const one of ["@agent-platform/kernel/memory", "@agent-platform/kernel/testing"]) refuses(DOMAIN, one)
    for (const one of ["../memory/index.ts", "../testing/index.ts"]) refuses(DOMAIN, one)
  })

  it("bypasses no entry point and goes out of no package", () => {
    for (const one of ["@agent-platform/kernel/src/Ids.ts", "@agent-platform/kernel/Ids"]) refuses(DOMAIN, one)
    for (const one of ["../../../keys/src/index.ts", "../../../../infra/checks/packages.ts"]) refuses(DOMAIN, one)
  })

  it("names the extension of what it imports", () => {
    for (const one of ["./startRun", "..", "../Run"]) refuses(DOMAIN, one)
  })
})

describe("the entry points for tests", () => {
  it("lead into the kernel's memory", () => {
    for (const path of [MEMORY, TESTING]) admits(path, "@agent-platform/kernel/memory")
  })

  it("hold a test library only behind ./testing", () => {
    for (const one of ["vitest", "@effect/vitest", "effect/testing", "../testing/index.ts"]) refuses(MEMORY, one)
    for (const one of ["vitest", "@effect/vitest", "effect/testing", "../memory/index.ts"]) admits(TESTING, one)
  })

  it("are as closed as their package otherwise", () => {
    for (const path of [MEMORY, TESTING]) refuses(path, "effect/sql")
    for (const path of [MEMORY, TESTING]) refuses(path, "@agent-platform/keys")
  })
})

describe("an adapter", () => {
  it("imports its own technology and no other", () => {
    admits("packages/postgres/src/planted.ts", "effect/sql/SqlClient")
    refuses("packages/postgres/src/planted.ts", "pg-boss")
    admits("packages/egress/src/planted.ts", "node:dns/promises")
    refuses("packages/egress/src/planted.ts", "dns")
    admits("packages/models/src/planted.ts", "@ai-sdk/openai")
    refuses("packages/contract/src/planted.ts", "@agent-platform/platform")
  })
})

describe("an app", () => {
  it("imports any package by its main entry point, and SQL where its layers are", () => {
    for (const one of ["@agent-platform/postgres", "effect/http", "pino", "../config.ts"]) admits(HANDLER, one)
    admits("apps/api/src/layers.ts", "effect/sql")
  })

  it("calls the API by the package that clients have, and nothing behind it", () => {
    admits("apps/admin/src/planted.ts", "@agent-platform/client")
    refuses("apps/admin/src/planted.ts", "@agent-platform/client/follow")
  })

  it("that runs in browsers imports the client, libraries and its own files, and nothing of Node or of the others", () => {
    const page = "apps/dashboard/src/screens/planted.tsx"
    for (const one of ["@agent-platform/client", "react", "../ui/Button.tsx", "../style.css"]) admits(page, one)
    for (const one of ["@agent-platform/contract", "@agent-platform/kernel", "node:fs", "fs"]) refuses(page, one)
  })

  it("imports no other app, no entry point for tests, no deep path and no SQL", () => {
    for (const one of ["@agent-platform/worker", "@agent-platform/runs/memory", "effect/sql"]) refuses(HANDLER, one)
    for (const one of ["@agent-platform/runs/src/Run.ts", "../../../worker/src/layers.ts"]) refuses(HANDLER, one)
  })

  it("holds no SQL text", () => {
    for (const text of [
      "sql`SELECT 1`",
      "sql<Row>`TRUNCATE run`",
      'sql.unsafe("VACUUM")',
      "const q = `\n  SELECT id FROM run WHERE id = ${id}`",
      '"insert into run values (1)"',
      "'UPDATE run SET state = 1'",
      "`delete from ${table}`"
    ]) {
      assert.deepStrictEqual([...sqlViolations({ path: HANDLER, text })], [`${HANDLER}:1 holds SQL`], text)
    }
  })

  it("holds sentences that only sound like SQL", () => {
    const text =
      '// SELECT a FROM b\nconst help = ["Select one from the list", "update the run", "Delete from the feed"]'
    assert.deepStrictEqual([...sqlViolations({ path: HANDLER, text })], [])
  })
})

describe("a manifest", () => {
  const packageOf = (
    name: string,
    manifest: Omit<Manifest, "name">,
    files: Readonly<Record<string, string>>
  ): Package => ({
    folder: `packages/${name}`,
    manifest: { name: `@agent-platform/${name}`, ...manifest },
    sources: Object.entries(files).map(([path, text]) => ({ path: `packages/${name}/src/${path}`, text }))
  })

  it("declares what src imports, no more and no less", () => {
    const files = { "index.ts": 'import "effect/sql"\nimport "pino"\nimport "node:fs"\n// import "knex"' }
    const found = dependencyViolations(packageOf("postgres", { dependencies: { effect: "1", undici: "1" } }, files))
    assert.deepStrictEqual(
      [...found],
      ["packages/postgres does not declare pino", "packages/postgres declares undici but does not import it"]
    )
  })

  it("may leave to a peer only what its testing entry point imports", () => {
    const manifest = { dependencies: {}, peerDependencies: { vitest: "1" } }
    const behind = (file: string) => dependencyViolations(packageOf("runs", manifest, { [file]: 'import "vitest"' }))
    assert.deepStrictEqual([...behind("testing/index.ts")], [])
    assert.deepStrictEqual([...behind("memory/index.ts")], ["packages/runs does not declare vitest"])
  })

  it("of a domain lists effect, the kernel and the toolkit, and opens three entry points", () => {
    const dependencies = { effect: "1", "@agent-platform/toolkit": "1", "@agent-platform/keys": "1" }
    const exports = { ".": "./src/index.ts", "./memory": "./src/memory/index.ts", "./Run": "./src/Run.ts" }
    assert.deepStrictEqual(
      [...domainViolations(packageOf("runs", { dependencies, exports }, { "index.ts": "" }))],
      [
        "packages/runs lists @agent-platform/keys among its dependencies",
        "packages/runs exports ./memory, but ./src/memory/index.ts is missing",
        "packages/runs exports ./Run as ./src/Run.ts, which is none of the three entry points"
      ]
    )
  })

  it("and an import together make a cycle that is reported once", () => {
    const platform = packageOf("platform", { dependencies: { "@agent-platform/postgres": "1" } }, {})
    const postgres = packageOf("postgres", {}, { "index.ts": 'export * from "@agent-platform/platform"' })
    assert.deepStrictEqual(
      [...cycles([platform, postgres, packageOf("kernel", {}, {})])],
      ["@agent-platform/platform -> @agent-platform/postgres -> @agent-platform/platform"]
    )
  })
})

describe("the table of packages", () => {
  const built = Object.keys(packageRows).filter((name) => !planned.includes(name))

  it("knows every package, and misses none but planned ones", () => {
    assert.deepStrictEqual([...tableViolations(built, apps)], [])
    assert.deepStrictEqual(
      [...tableViolations([...built, "mail"], [...apps, "web"])],
      ["packages/mail has no row", "apps/web has no row"]
    )
    assert.deepStrictEqual(
      [...tableViolations(built.slice(1), apps)],
      ["The row of toolkit has no package and is not planned"]
    )
  })
})

describe("files", () => {
  it("have names that say something", () => {
    for (const name of ["utils", "common", "helpers", "misc", "RunManager", "types", "string-utils"]) {
      assert.strictEqual(nameViolations(`packages/runs/src/${name}.ts`).length, 1, name)
    }
    assert.strictEqual(nameViolations("packages/runs/src/utils/Clock.ts").length, 1)
    for (const name of ["Run", "uncommonRun", "eventTypes", "Managed"]) {
      assert.deepStrictEqual([...nameViolations(`packages/runs/src/${name}.ts`)], [])
    }
  })

  it("are not longer than a sitting", () => {
    const file = (path: string, lines: number) => ({ path, text: "x\n".repeat(lines) })
    assert.deepStrictEqual([...longerThan(3, [file("a.ts", 3), file("b.ts", 4)])], ["b.ts has 4 lines"])
  })

  it("lie at the top of the repository only if they belong there", () => {
    assert.deepStrictEqual(
      [...topLevelViolations(["packages", "README.md", ".gitignore", "node_modules", "scripts"])],
      ["scripts does not belong at the top of the repository"]
    )
  })
})
