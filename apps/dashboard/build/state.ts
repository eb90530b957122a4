/** Where the built page lies, and whether it is that of the present sources. */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of the dashboard's sources. */
export const HOME = fileURLToPath(new URL("../", import.meta.url))

/** The built page: `index.html` and `assets`, each file of text beside its forms `.br` and `.gz`. */
export const PAGE = join(HOME, "dist", "page")

const ROOT = join(HOME, "../..")

/** All that the page is made of; the lock file stands for its libraries. */
const SOURCES = ["apps/dashboard", "packages/client/src", "package-lock.json"]

/** Folders below them that the page is not made of. */
const APART = /^apps\/dashboard\/(?:dist|test|node_modules)(?:\/|$)/

const filesOf = (path: string): ReadonlyArray<string> => {
  if (APART.test(path)) return []
  const entries = readdirSync(join(ROOT, path), { withFileTypes: true })
  return entries.flatMap((entry) => {
    const below = `${path}/${entry.name}`
    return entry.isDirectory() ? filesOf(below) : APART.test(below) ? [] : [below]
  })
}

/** The hash of everything that the page is made of. Some hundred files: a few milliseconds. */
export const sourcesHash = (): string => {
  const hash = createHash("sha256")
  for (const source of SOURCES) {
    const files = source.endsWith(".json") ? [source] : [...filesOf(source)].sort()
    for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest("hex")
}

/** The file of a built page that says which sources it was made of. */
export const MARK = "sources"

/** Whether the page that lies there was made of the sources with this hash. */
export const isBuilt = (hash: string): boolean => {
  const mark = join(PAGE, MARK)
  return existsSync(mark) && readFileSync(mark, "utf8") === hash
}
