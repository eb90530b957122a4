/** Projects outside of this repository that install the packed packages, as those of others do. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { npm } from "../npm.ts"
import type { PackedPackage } from "../packPackages.ts"
import { run } from "./command.ts"

type Dependencies = Readonly<Record<string, string>>

const tarballs = (packed: ReadonlyArray<PackedPackage>): Dependencies =>
  Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))

/** Installs these in a new folder. Only what is named may run scripts of its own while it is installed. */
export const makeHost = async (folder: string, dependencies: Dependencies, scripts: ReadonlyArray<string> = []) => {
  mkdirSync(folder, { recursive: true })
  const allowScripts = Object.fromEntries(scripts.map((name) => [name, true]))
  const manifest = { name: basename(folder), private: true, type: "module", dependencies, allowScripts }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2))
  await npm(folder, ["install", "--no-audit", "--no-fund", "--loglevel=error", "--engine-strict=false"])
  return folder
}

/** A host of packages and of libraries of its own. */
export const makePackageHost = (folder: string, packed: ReadonlyArray<PackedPackage>, libraries: Dependencies = {}) =>
  makeHost(folder, { ...tarballs(packed), ...libraries })

/** Every folder of a package below `node_modules`, however deep: one for each copy. */
export const copiesOf = (host: string, name: string): ReadonlyArray<string> =>
  readdirSync(join(host, "node_modules"), { recursive: true, encoding: "utf8" }).filter(
    (path) => path === join(name, "package.json") || path.endsWith(join("node_modules", name, "package.json"))
  )

/** The names of everything that is installed in a host. */
export const installedIn = (host: string): ReadonlyArray<string> =>
  Object.keys(JSON.parse(readFileSync(join(host, "node_modules", ".package-lock.json"), "utf8")).packages)

/** An archive of the library that says the next patch version and is otherwise the same, for a host that has moved on to another patch. */
export const nextPatchOf = async (
  folder: string,
  name: string,
  version: string
): Promise<{ file: string; version: string }> => {
  mkdirSync(folder, { recursive: true })
  const [major, minor, patch] = version.split(".")
  const next = `${major}.${minor}.${Number(patch) + 1}`
  const [original = ""] = JSON.parse(await npm(folder, ["pack", "--json", `${name}@${version}`])).map(
    ({ filename }: { readonly filename: string }) => filename
  )
  await run(folder, "tar", "xzf", original)
  const manifest = join(folder, "package", "package.json")
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, "utf8")), version: next }))
  const file = join(folder, `${name}-${next}.tgz`)
  await run(folder, "tar", "czf", file, "package")
  return { file, version: next }
}
