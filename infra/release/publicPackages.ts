/** The packages that are published: every workspace whose manifest does not say `private`. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A package.json of this checkout, as far as publishing reads it. */
export interface SourceManifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly description?: string
  readonly license?: string
  readonly type?: string
  readonly exports?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** A workspace: its folder from the root of the checkout, such as `packages/runs`, and its manifest. */
export interface Workspace {
  readonly folder: string
  readonly manifest: SourceManifest
}

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"))

const foldersOf = (root: string, pattern: string): ReadonlyArray<string> =>
  pattern.endsWith("/*")
    ? readdirSync(join(root, pattern.slice(0, -2))).map((name) => `${pattern.slice(0, -2)}/${name}`)
    : [pattern]

/** Every workspace that the root manifest names, published or not, by folder. */
export const workspacesOf = (root: string): ReadonlyArray<Workspace> =>
  (read(join(root, "package.json")).workspaces as ReadonlyArray<string>)
    .flatMap((pattern) => foldersOf(root, pattern))
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .sort()
    .map((folder) => ({ folder, manifest: read(join(root, folder, "package.json")) as SourceManifest }))

/** The workspaces that are published. Throws where one lacks what the registry shows of it. */
export const publicPackages = (root: string): ReadonlyArray<Workspace> => {
  const all = workspacesOf(root).filter(({ manifest }) => manifest.private !== true)
  for (const { folder, manifest } of all) {
    for (const member of ["description", "license", "exports"] as const) {
      if (manifest[member] === undefined) throw new Error(`${folder}/package.json has no ${member}`)
    }
    if (!existsSync(join(root, folder, "README.md"))) throw new Error(`${folder} has no README.md`)
  }
  return all
}
