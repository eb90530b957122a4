/** The package.json that is published, made from the one of the checkout, whose entry points are TypeScript. */
import type { SourceManifest } from "./publicPackages.ts"

/** Node versions that the published packages run on. The install matrix tries the oldest major version and that of this repository. */
const NODE_RANGE = ">=22.12.0"

/** Libraries of which a host must have one copy, its own: two copies of effect know nothing of each other's services. */
const SHARED: ReadonlyArray<string> = ["effect"]

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/

/** Where an entry point is at the published package, without its extension: `./src/memory/index.ts` is `./dist/memory/index`. */
export const builtPlace = (source: string): string => {
  const [, path] = /^\.\/src\/(.+)\.ts$/.exec(source) ?? []
  if (path === undefined) throw new Error(`${source} is no entry point: those are TypeScript below ./src, or JSON`)
  return `./dist/${path}`
}

const exportOf = (source: string): string | { readonly types: string; readonly default: string } =>
  source.endsWith(".json") ? source : { types: `${builtPlace(source)}.d.ts`, default: `${builtPlace(source)}.js` }

/** Types that a host has in the version of its own runtime. */
const NODE_TYPES = { name: "@types/node", range: ">=22" }

const pinnedVersion = (name: string, version: string): string => {
  if (!EXACT.test(version)) throw new Error(`${name}@${version} is not pinned exactly`)
  return version
}

const sorted = <A>(entries: ReadonlyArray<readonly [string, A]>): Record<string, A> =>
  Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)))

const rangeOf = (name: string, pinned: string): string =>
  name === NODE_TYPES.name ? NODE_TYPES.range : `^${pinnedVersion(name, pinned)}`

const unlessEmpty = <Name extends string, A extends object>(name: Name, value: A) =>
  Object.keys(value).length === 0 ? {} : ({ [name]: value } as { readonly [N in Name]: A })

/**
 * The manifest at a version. Workspaces depend on each other at this version exactly, and on other libraries as the checkout
 * pins them; what a host must share is a peer with a range. Throws where a dependency is not pinned, or a workspace not
 * published.
 */
export const publishedManifest = (
  manifest: SourceManifest,
  version: string,
  published: ReadonlySet<string>
): Record<string, unknown> => {
  const scope = manifest.name.replace(/\/.*$/, "/")
  const dependencies = Object.entries(manifest.dependencies ?? {})
  const peers = [
    ...dependencies.filter(([name]) => SHARED.includes(name)),
    ...Object.entries(manifest.peerDependencies ?? {})
  ]
  const own = dependencies
    .filter(([name]) => !SHARED.includes(name))
    .map(([name, pinned]): readonly [string, string] => {
      if (!name.startsWith(scope)) return [name, pinnedVersion(name, pinned)]
      if (!published.has(name)) throw new Error(`${manifest.name} depends on ${name}, which is private`)
      return [name, version]
    })
  const exports = Object.entries(manifest.exports ?? {}).map(([path, source]) => [path, exportOf(source)] as const)
  const files = ["dist", "src", ...Object.values(manifest.exports ?? {}).filter((one) => one.endsWith(".json"))]
  return {
    name: manifest.name,
    version,
    description: manifest.description,
    license: manifest.license,
    type: "module",
    sideEffects: false,
    engines: { node: NODE_RANGE },
    exports: Object.fromEntries([...exports, ["./package.json", "./package.json"]]),
    files,
    ...unlessEmpty("dependencies", sorted(own)),
    ...unlessEmpty("peerDependencies", sorted(peers.map(([name, pinned]) => [name, rangeOf(name, pinned)]))),
    ...unlessEmpty("peerDependenciesMeta", manifest.peerDependenciesMeta ?? {})
  }
}

/** The manifest for JSR, which takes the sources. Only for packages without dependencies, since JSR has no other package of ours. */
export const jsrManifest = (manifest: SourceManifest, version: string): Record<string, unknown> => ({
  name: manifest.name,
  version,
  license: manifest.license,
  exports: Object.fromEntries(Object.entries(manifest.exports ?? {}).filter(([, source]) => source.endsWith(".ts"))),
  publish: { include: ["src", "README.md", "LICENSE", "jsr.json"] }
})
