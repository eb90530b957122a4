/**
 * The apps of `npm start` as few files. Node finds and links 1,500 modules for each of the three otherwise, which is most of the
 * processor time of a start. They are made anew when a source has changed.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { PlatformParts } from "./platform.ts"
import { say } from "./Run.ts"

type Apps = Pick<PlatformParts, "preparer" | "apps">
type App = Apps["preparer"]

/** Where bundles lie, from the root of the checkout. */
const HOME = "node_modules/.cache/npm-start"

/** Everything that they are made of; the lock file stands for the libraries. */
const SOURCES = ["packages", "apps/api/src", "apps/worker/src", "apps/admin/src", "infra/local", "package-lock.json"]

/** Folders among the sources that no bundle is made of. */
const LEFT_OUT = /(?:^|\/)(?:test|dist|node_modules)$/

const stampsOf = (root: string, path: string): ReadonlyArray<string> => {
  if (LEFT_OUT.test(path)) return []
  const stats = statSync(join(root, path))
  if (!stats.isDirectory()) return [`${path} ${stats.size} ${stats.mtimeMs}`]
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => stampsOf(root, `${path}/${name}`))
}

/** A name for the sources as they are now, by their times and sizes: a thousand files take some milliseconds. */
const stateOf = (root: string): string => {
  const hash = createHash("sha256").update(process.version)
  for (const path of SOURCES) for (const stamp of stampsOf(root, path)) hash.update(`${stamp}\n`)
  return hash.digest("hex").slice(0, 16)
}

const nameOf = (path: string): string => path.replaceAll(/\W/g, "-")

const pathsOf = ({ apps, preparer }: Apps): ReadonlyArray<string> => [
  ...new Set([preparer, ...apps].flatMap(({ main, warmUp }) => (warmUp === undefined ? [main] : [main, warmUp])))
]

const make = async (root: string, paths: ReadonlyArray<string>, state: string): Promise<void> => {
  const home = join(root, HOME)
  mkdirSync(home, { recursive: true })
  const made = mkdtempSync(join(home, "making-"))
  try {
    // Loaded here alone: most starts find their bundles made.
    const { makeBundles } = await import("./appBundles.ts")
    await makeBundles(Object.fromEntries(paths.map((path) => [nameOf(path), join(root, path)])), made, {
      shared: true
    })
    for (const old of readdirSync(home)) {
      if (!old.startsWith("making-")) rmSync(join(home, old), { recursive: true, force: true })
    }
    renameSync(made, join(home, state))
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    throw error
  }
}

/**
 * The same apps, started from bundles, which are made where a source has changed. They start from their sources where no bundle can be
 * made, and with RECIPES: an operator's recipes are loaded beside the sources and have to find the modules of these.
 */
export const bundled = async (parts: PlatformParts): Promise<PlatformParts> => {
  const { environment, root } = parts
  if (environment.RECIPES) return parts
  const state = stateOf(root)
  try {
    if (!existsSync(join(root, HOME, state))) await make(root, pathsOf(parts), state)
  } catch (error) {
    say(`the apps start from their sources: ${error instanceof Error ? error.message : String(error)}`)
    return parts
  }
  const at = (path: string) => `${HOME}/${state}/${nameOf(path)}.mjs`
  const of = (app: App): App => ({
    ...app,
    main: at(app.main),
    ...(app.warmUp === undefined ? {} : { warmUp: at(app.warmUp) })
  })
  return {
    ...parts,
    preparer: of(parts.preparer),
    apps: parts.apps.map(of),
    // Compiled code lies with the bundles that it was made of, and goes together with them.
    environment: { ...environment, NODE_COMPILE_CACHE: join(root, HOME, state, "compiled") }
  }
}
