/** The boundaries in manifests: the declared dependencies of a package against its imports. */
import { isBuiltin } from "node:module"
import type { TextFile } from "./boundaries.ts"
import { domains, entryPointOf, SCOPE, standalone } from "./packages.ts"
import { importsOf, readSource } from "./source.ts"

/** The parts of a package.json that the checks read. */
export interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** A package or an app: its folder, its manifest, and every source file under its `src`. */
export interface Package {
  readonly folder: string
  readonly manifest: Manifest
  readonly sources: ReadonlyArray<TextFile>
}

/** The installable name inside an import: `effect/sql/SqlClient` is of `effect`. Undefined for Node's and relative ones. */
export const packageNameOf = (specifier: string): string | undefined => {
  if (/^[./]/.test(specifier) || isBuiltin(specifier)) return undefined
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
}

const isTesting = ({ folder }: Package, file: TextFile): boolean =>
  entryPointOf(file.path.slice(`${folder}/src/`.length)) === "testing"

const importedBy = (files: ReadonlyArray<TextFile>): ReadonlySet<string> =>
  new Set(
    files.flatMap((file) => importsOf(readSource(file.text)).flatMap(({ specifier }) => packageNameOf(specifier) ?? []))
  )

/** `dependencies` lists exactly what src imports; what only the testing entry point imports may be a peer dependency instead. */
export const dependencyViolations = (one: Package): ReadonlyArray<string> => {
  const { folder, manifest, sources } = one
  if (sources.length === 0) return [`${folder} has a manifest but no source`]
  const declared = Object.keys(manifest.dependencies ?? {})
  const peers = Object.keys(manifest.peerDependencies ?? {})
  const production = importedBy(sources.filter((file) => !isTesting(one, file)))
  const testing = importedBy(sources.filter((file) => isTesting(one, file)))
  return [
    ...[...production].filter((name) => !declared.includes(name)).map((name) => `${folder} does not declare ${name}`),
    ...[...testing]
      .filter((name) => !production.has(name) && !declared.includes(name) && !peers.includes(name))
      .map((name) => `${folder} does not declare ${name}, which its testing entry point imports`),
    ...declared
      .filter((name) => !production.has(name) && !testing.has(name))
      .map((name) => `${folder} declares ${name} but does not import it`)
  ]
}

const DOMAIN_EXPORTS: Readonly<Record<string, string>> = {
  ".": "./src/index.ts",
  "./memory": "./src/memory/index.ts",
  "./testing": "./src/testing/index.ts"
}

/** The packages below the domains, and the dependencies that each may have. */
const FOUNDATIONS: Readonly<Record<string, ReadonlyArray<string>>> = {
  toolkit: ["effect"],
  kernel: ["effect", `${SCOPE}toolkit`]
}

const OF_DOMAINS = ["effect", `${SCOPE}kernel`, `${SCOPE}toolkit`]

/** A pure package has no dependencies but these, and opens the three entry points; one that stands alone has none. */
export const domainViolations = ({ folder, manifest, sources }: Package): ReadonlyArray<string> => {
  const packageName = folder.replace("packages/", "")
  if (standalone.includes(packageName)) {
    return Object.keys(manifest.dependencies ?? {}).map((name) => `${folder} stands alone and lists ${name}`)
  }
  const allowed = domains.some((name) => name === packageName) ? OF_DOMAINS : FOUNDATIONS[packageName]
  if (allowed === undefined) return []
  const paths = sources.map(({ path }) => path)
  return [
    ...Object.keys(manifest.dependencies ?? {})
      .filter((name) => !allowed.includes(name))
      .map((name) => `${folder} lists ${name} among its dependencies`),
    ...Object.entries(manifest.exports ?? {}).flatMap(([entryPoint, target]) => {
      if (DOMAIN_EXPORTS[entryPoint] !== target)
        return [`${folder} exports ${entryPoint} as ${target}, which is none of the three entry points`]
      return paths.includes(pathOf(folder, target)) ? [] : [`${folder} exports ${entryPoint}, but ${target} is missing`]
    })
  ]
}

const pathOf = (folder: string, target: string): string => `${folder}/${target.replace(/^\.\//, "")}`

/** A package is named after its folder. */
export const manifestNameViolations = ({ folder, manifest }: Package): ReadonlyArray<string> =>
  manifest.name === SCOPE + folder.split("/")[1] ? [] : [`${folder} is named ${manifest.name}`]

/** Cycles among packages, by manifest or by import, each written from its first package back to itself. */
export const cycles = (packages: ReadonlyArray<Package>): ReadonlyArray<string> => {
  const imports = new Map(
    packages.map(({ manifest, sources }) => [
      manifest.name,
      [...new Set([...Object.keys(manifest.dependencies ?? {}), ...importedBy(sources)])].sort()
    ])
  )
  const found = new Set<string>()
  const done = new Set<string>()
  const visit = (name: string, path: ReadonlyArray<string>): void => {
    const start = path.indexOf(name)
    if (start >= 0) {
      found.add([...path.slice(start), name].join(" -> "))
      return
    }
    if (done.has(name)) return
    for (const next of imports.get(name) ?? []) visit(next, [...path, name])
    done.add(name)
  }
  for (const name of [...imports.keys()].sort()) visit(name, [])
  return [...found]
}
