/** Reads the checkout into the shape that the checks take. Works in any folder; git is not asked. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { BiomeConfiguration } from "./biome.ts"
import type { TextFile } from "./boundaries.ts"
import type { Manifest, Package } from "./manifests.ts"

/** The top of this repository. */
export const TOP_FOLDER = fileURLToPath(new URL("../../", import.meta.url))

const SKIPPED = new Set(["node_modules", "dist", "coverage", "fixtures", "vectors", "generated"])

const walk = (top: string, folder: string): ReadonlyArray<string> =>
  existsSync(join(top, folder))
    ? readdirSync(join(top, folder), { withFileTypes: true }).flatMap((entry) => {
        if (SKIPPED.has(entry.name) || entry.name.startsWith(".")) return []
        const path = `${folder}/${entry.name}`
        return entry.isDirectory() ? walk(top, path) : [path]
      })
    : []

const read = (top: string, path: string): TextFile => ({ path, text: readFileSync(join(top, path), "utf8") })

/** Everything of a checkout that the checks read. */
export interface Repository {
  readonly topLevel: ReadonlyArray<string>
  /** Every TypeScript and JavaScript file of packages, apps and infra, tests included, but for the folders in `SKIPPED`. */
  readonly files: ReadonlyArray<TextFile>
  readonly packages: ReadonlyArray<Package>
  readonly apps: ReadonlyArray<Package>
  readonly biome: BiomeConfiguration
}

/** Reads a checkout. A folder without package.json is a package only once it holds source. */
export const readRepository = (top: string): Repository => {
  const files = ["packages", "apps", "infra"]
    .flatMap((folder) => walk(top, folder))
    .filter((path) => /\.(?:tsx?|mts|js|mjs)$/.test(path))
    .map((path) => read(top, path))
  const packagesIn = (kind: string): ReadonlyArray<Package> =>
    (existsSync(join(top, kind)) ? readdirSync(join(top, kind)).sort() : []).flatMap((name) => {
      const folder = `${kind}/${name}`
      const sources = files.filter(({ path }) => path.startsWith(`${folder}/src/`))
      const manifest = join(top, folder, "package.json")
      if (existsSync(manifest)) {
        return [{ folder, manifest: JSON.parse(readFileSync(manifest, "utf8")) as Manifest, sources }]
      }
      return sources.length > 0 ? [{ folder, manifest: { name: "(no package.json)" }, sources }] : []
    })
  return {
    topLevel: readdirSync(top),
    files,
    packages: packagesIn("packages"),
    apps: packagesIn("apps"),
    biome: JSON.parse(readFileSync(join(top, "biome.json"), "utf8")) as BiomeConfiguration
  }
}
