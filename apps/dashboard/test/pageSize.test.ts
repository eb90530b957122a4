/** Holds how much a browser loads before it shows the first page: by sizes, which are the same on every machine. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { HOME, PAGE } from "../build/state.ts"

const FIRST_PAGE_BYTES_MAX = 170_000
const CHUNK_BYTES_MAX = 100_000
/** Scripts, styles and fonts: each costs the browser and the server some milliseconds before the first row. */
const FIRST_PAGE_FILES_MAX = 8

const ASSETS = join(PAGE, "assets")
const textOf = (name: string) => readFileSync(join(ASSETS, name), "utf8")
const gzipBytes = (name: string) => statSync(join(ASSETS, `${name}.gz`)).size
const scripts = () => readdirSync(ASSETS).filter((name) => name.endsWith(".js"))

/** The files that the page itself names, but its icon. */
const namedFiles = (): ReadonlyArray<string> => {
  const html = readFileSync(join(PAGE, "index.html"), "utf8")
  return [...html.matchAll(/(?:src|href)="\/assets\/([\w-]+\.(?:js|css|woff2))"/g)].map(([, name = ""]) => name)
}

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
    const named = namedFiles()
    // The list itself is among them: nothing is loaded after them before it stands there.
    assert.isTrue(named.some((name) => name.endsWith(".js") && textOf(name).includes("Last said")))
    const loaded = new Set<string>()
    for (const name of named) {
      if (name.endsWith(".js")) withImports(name, loaded)
      else if (name.endsWith(".css")) loaded.add(name)
    }
    const sizes = [...loaded].map((name) => [name, gzipBytes(name)] as const)
    const sum = sizes.reduce((total, [, bytes]) => total + bytes, 0)
    assert.isAtLeast(sizes.length, 3)
    assert.isAtMost(sum, FIRST_PAGE_BYTES_MAX, JSON.stringify(sizes))
  })

  it("names each file of the first page itself, so that all are loaded beside each other", () => {
    const named = namedFiles()
    assert.lengthOf(
      named.filter((name) => name.endsWith(".woff2")),
      2
    )
    const imported = new Set<string>()
    for (const name of named) if (name.endsWith(".js")) withImports(name, imported)
    assert.sameMembers(
      [...imported],
      named.filter((name) => name.endsWith(".js"))
    )
    assert.isAtMost(named.length, FIRST_PAGE_FILES_MAX, named.join())
  })

  it("has no script that is larger than another screen may wait for", () => {
    for (const name of scripts()) assert.isAtMost(gzipBytes(name), CHUNK_BYTES_MAX, name)
  })
})
