/** Holds how much a browser loads before it shows the first page: by sizes, which are the same on every machine. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { HOME, PAGE } from "../build/state.ts"

const FIRST_PAGE_BYTES_MAX = 170_000
const CHUNK_BYTES_MAX = 100_000

const ASSETS = join(PAGE, "assets")
const textOf = (name: string) => readFileSync(join(ASSETS, name), "utf8")
const gzipBytes = (name: string) => statSync(join(ASSETS, `${name}.gz`)).size
const scripts = () => readdirSync(ASSETS).filter((name) => name.endsWith(".js"))

/** A script with all that it imports before it can begin. */
const withImports = (name: string, seen: Set<string> = new Set()): ReadonlySet<string> => {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const [, imported = ""] of textOf(name).matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g)) {
    withImports(imported, seen)
  }
  return seen
}

describe("the built page", () => {
  beforeAll(() => {
    execFileSync(process.execPath, [join(HOME, "build/build.ts")])
  }, 120_000)

  it("shows the list of runs after at most 170 kB of scripts and styles", () => {
    const html = readFileSync(join(PAGE, "index.html"), "utf8")
    const named = [...html.matchAll(/(?:src|href)="\/assets\/([\w-]+\.(?:js|css))"/g)].map(([, name = ""]) => name)
    const runs = scripts().filter((name) => /^Runs-/.test(name))
    assert.lengthOf(runs, 1)
    const loaded = new Set<string>()
    for (const name of [...named, ...runs]) {
      if (name.endsWith(".js")) withImports(name, loaded)
      else loaded.add(name)
    }
    const sizes = [...loaded].map((name) => [name, gzipBytes(name)] as const)
    const sum = sizes.reduce((total, [, bytes]) => total + bytes, 0)
    assert.isAbove(sizes.length, 3)
    assert.isAtMost(sum, FIRST_PAGE_BYTES_MAX, JSON.stringify(sizes))
  })

  it("has no script that is larger than another screen may wait for", () => {
    for (const name of scripts()) assert.isAtMost(gzipBytes(name), CHUNK_BYTES_MAX, name)
  })
})
