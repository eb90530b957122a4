import { spawn } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { nodeBinary } from "../install.mjs"
import { flagsOf } from "../memory.mjs"
import { linesOf, temporaryFolder } from "./stage.ts"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Stands in for npm: notes each call, and does what FAKE_NPM says. */
const FAKE_NPM = `
const { appendFileSync } = require("node:fs")
appendFileSync(process.env.NPM_CALLS, process.argv.slice(2, 3) + "\\n")
if (process.argv[2] === "install") appendFileSync("arguments", process.argv.slice(3).join(" ") + "\\n")
if (process.argv[2] === "config") console.log(process.env.FAKE_NPM === "ignores scripts" ? "true" : "false")
if (process.env.FAKE_NPM === "fails") { console.error("the registry is on fire"); process.exit(7) }
`

/** A checkout that holds the launcher, a lock file and, once "installed", a Node. */
const checkout = () => {
  const root = temporaryFolder()
  mkdirSync(join(root, "infra", "local"), { recursive: true })
  for (const name of ["launch.mjs", "install.mjs", "memory.mjs", "processLock.mjs"]) {
    writeFileSync(join(root, "infra", "local", name), readFileSync(here(`../${name}`)))
  }
  writeFileSync(join(root, "package-lock.json"), "{}")
  writeFileSync(join(root, "npm-cli.js"), FAKE_NPM)
  mkdirSync(join(root, "apps", "api", "src"), { recursive: true })
  writeFileSync(join(root, "apps", "api", "src", "main.ts"), "process.exit(Number(process.argv[2] ?? 0))")
  mkdirSync(dirname(dirname(nodeBinary(root))), { recursive: true })
  writeFileSync(join(nodeBinary(root), "..", "..", "package.json"), "{}")
  return root
}

const giveNode = (root: string) => {
  mkdirSync(dirname(nodeBinary(root)), { recursive: true })
  symlinkSync(process.execPath, nodeBinary(root))
}

const launch = (root: string, args: ReadonlyArray<string>, fakeNpm = "works") => {
  const env = {
    PATH: process.env.PATH,
    npm_execpath: join(root, "npm-cli.js"),
    NPM_CALLS: join(root, "calls"),
    FAKE_NPM: fakeNpm
  }
  const child = spawn(process.execPath, [join(root, "infra/local/launch.mjs"), ...args], { env, stdio: "pipe" })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8")
    })
  }
  return new Promise<{ readonly code: number | null; readonly output: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, output }))
  )
}

const calls = (root: string) => linesOf(join(root, "calls"))

describe("the launcher", () => {
  it("installs once and hands over arguments and exit code", async () => {
    const root = checkout()
    giveNode(root)
    assert.strictEqual((await launch(root, ["app", "api", "5"])).code, 5)
    assert.deepStrictEqual(await launch(root, ["app", "api"]), { code: 0, output: "" })
    assert.deepStrictEqual([...calls(root)], ["install"])
  })

  it("starts each app's Node with the flags of that app", async () => {
    const root = checkout()
    giveNode(root)
    for (const app of ["api", "worker"] as const) {
      mkdirSync(join(root, "apps", app, "src"), { recursive: true })
      writeFileSync(join(root, "apps", app, "src", "main.ts"), "console.log(JSON.stringify(process.execArgv))")
      const { output } = await launch(root, ["app", app])
      assert.deepStrictEqual(JSON.parse(output.trim().split("\n").at(-1) ?? ""), flagsOf(app))
    }
    assert.notDeepEqual(flagsOf("worker"), flagsOf("api"))
  })

  it("installs again when the lock file has changed", async () => {
    const root = checkout()
    giveNode(root)
    await launch(root, ["app", "api"])
    appendFileSync(join(root, "package-lock.json"), "\n")
    await launch(root, ["app", "api"])
    assert.deepStrictEqual([...calls(root)], ["install", "install"])
  })

  it("takes an installation by hand for as good as its own, as long as nothing of it differs", async () => {
    const root = checkout()
    giveNode(root)
    const write = (path: string, packages: object) => writeFileSync(join(root, path), JSON.stringify({ packages }))
    const there = { "node_modules/a": { version: "1.0.0", integrity: "sha512-a" } }
    write("package-lock.json", { "": {}, ...there, "node_modules/b": { version: "1.0.0", optional: true } })
    write("node_modules/.package-lock.json", there)
    assert.strictEqual((await launch(root, ["app", "api"])).code, 0)
    assert.deepStrictEqual([...calls(root)], [])
    write("package-lock.json", { "": {}, "node_modules/a": { version: "1.0.1", integrity: "sha512-b" } })
    await launch(root, ["app", "api"])
    assert.deepStrictEqual([...calls(root)], ["install"])
  })

  it("leaves out what only tests need, until they are run, and keeps it from then on", async () => {
    const root = checkout()
    giveNode(root)
    const lines = () => linesOf(join(root, "arguments")).map((line) => line.match(/--omit=dev|--include=dev/)?.[0])
    await launch(root, ["app", "api"])
    await launch(root, ["docs"])
    await launch(root, ["app", "api"])
    assert.deepStrictEqual(lines(), ["--omit=dev", "--include=dev"])
    appendFileSync(join(root, "package-lock.json"), "\n")
    await launch(root, ["app", "api"])
    assert.deepStrictEqual(lines(), ["--omit=dev", "--include=dev", "--include=dev"])
  })

  it("installs once when it is started twice at the same time", async () => {
    const root = checkout()
    giveNode(root)
    const both = await Promise.all([launch(root, ["app", "api"]), launch(root, ["app", "api"])])
    assert.deepStrictEqual(
      both.map(({ code }) => code),
      [0, 0]
    )
    assert.deepStrictEqual([...calls(root)], ["install"])
  })

  it("shows what npm says when the installation fails, and tries again the next time", async () => {
    const root = checkout()
    giveNode(root)
    const { code, output } = await launch(root, ["app", "api"], "fails")
    assert.strictEqual(code, 1)
    assert.include(output, "npm install failed (exit code 7):\nthe registry is on fire")
    assert.strictEqual((await launch(root, ["app", "api"])).code, 0)
  })

  it("says what to run when install scripts are switched off", async () => {
    const root = checkout()
    giveNode(root)
    mkdirSync(join(root, "node_modules", "deno"))
    writeFileSync(join(root, "node_modules", "deno", "package.json"), "{}")
    const { code, output } = await launch(root, ["check"], "ignores scripts")
    assert.strictEqual(code, 1)
    assert.include(output, "npm's setting ignore-scripts is on")
    assert.include(output, "npm rebuild --ignore-scripts=false deno")
  })

  it("explains its use when it does not know what to run", async () => {
    const { code, output } = await launch(checkout(), ["app", "unknown"])
    assert.strictEqual(code, 64)
    assert.include(output, "usage")
  })
})

describe("package-lock.json", () => {
  const lock = JSON.parse(readFileSync(here("../../../package-lock.json"), "utf8")) as {
    readonly packages: Readonly<
      Record<string, { readonly resolved?: string; readonly optionalDependencies?: Readonly<Record<string, string>> }>
    >
  }

  it("names no registry", () => {
    const resolved = Object.values(lock.packages).flatMap((one) => one.resolved ?? [])
    assert.deepStrictEqual(
      resolved.filter((place) => /^[a-z+]+:/.test(place)),
      []
    )
  })

  // npm ci refuses a lock file without them, and an install on another platform would lack its binaries.
  it("holds the packages of every platform", () => {
    const isThere = (from: string, name: string): boolean => {
      for (let place = from; ; place = dirname(place)) {
        if (lock.packages[join(place, "node_modules", name)] !== undefined) return true
        if (place === ".") return false
      }
    }
    const missing = Object.entries(lock.packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isThere(from === "" ? "." : from, name))
    )
    assert.deepStrictEqual(missing, [])
  })
})

describe("the checkout", () => {
  it("has what continuous integration calls", () => {
    assert.isTrue(existsSync(here("../../../.ci/run")))
  })
})
