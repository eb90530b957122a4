/** Builds the published form of every public package into a folder each. */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { publicPackages, type Workspace } from "./publicPackages.ts"
import { builtPlace, jsrManifest, publishedManifest } from "./publishedManifest.ts"

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const files = (folder: string, ending: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path))

/** Compiles all of them at once, each beside the others: `packages/runs/src/Run.ts` becomes `<out>/packages/runs/src/Run.js`. */
const compile = (root: string, all: ReadonlyArray<Workspace>, out: string): void => {
  const config = join(out, "tsconfig.json")
  mkdirSync(out, { recursive: true })
  const settings = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      allowImportingTsExtensions: false,
      declaration: true,
      declarationMap: true,
      sourceMap: true,
      noEmitOnError: true,
      rootDir: root,
      outDir: out,
      typeRoots: [join(root, "node_modules", "@types")]
    },
    include: all.map(({ folder }) => join(root, folder, "src")),
    exclude: []
  }
  writeFileSync(config, json(settings))
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
  const { output, status } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" })
  if (status !== 0) throw new Error(`The packages do not compile:\n${output.join("")}`)
}

/** Declarations name their neighbours as the sources do, by `.ts`, which is not there; the compiler rewrites only JavaScript. */
const nameBuiltFiles = (declaration: string): string =>
  declaration.replaceAll(/(from |import\()"(\.{1,2}\/[^"]+)\.ts"/g, '$1"$2.js"')

/** Maps lead from `dist` to the sources that are published beside it. */
const leadToSources = (folder: string): void => {
  const dist = join(folder, "dist")
  for (const file of files(dist, ".map")) {
    const source = join(folder, "src", relative(dist, file).replace(/\.(?:d\.ts|js)\.map$/, ".ts"))
    if (!existsSync(source)) throw new Error(`${file} is of no source`)
    const sources = [relative(dirname(file), source).replaceAll(sep, "/")]
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), sourceRoot: "", sources }))
  }
}

/** Throws where an entry point exports types alone: at run time nobody could import anything from it. */
const checkEntryPoints = (folder: string, { manifest }: Workspace): void => {
  for (const [path, source] of Object.entries(manifest.exports ?? {})) {
    if (source.endsWith(".json")) continue
    const built = readFileSync(join(folder, `${builtPlace(source)}.js`), "utf8")
    if (built.replaceAll(/\/\*.*?\*\/|\/\/.*/gs, "").trim() === "export {};") {
      throw new Error(`${manifest.name} exports types alone by ${path}`)
    }
  }
}

/** A README without links that leave its package: at the registry nothing is there, so a path says where a page stands. */
export const withoutRepositoryLinks = (readme: string): string =>
  readme
    .replaceAll(/\[([^\]]+)\]\(\.\.\/\.\.\/([^)#\s]+)(?:#[^)\s]*)?\)/g, "$1 (`$2` in the repository)")
    .replaceAll(/\[([^\]]+)\]\(\.\.\/[^)\s]+\)/g, "$1")

/** Makes the published form of one package at `place`: its code out of `built`, its sources, its manifests and its papers. */
const stage = (
  root: string,
  built: string,
  place: string,
  one: Workspace,
  version: string,
  names: ReadonlySet<string>
) => {
  const from = join(root, one.folder)
  const manifest = publishedManifest(one.manifest, version, names)
  mkdirSync(place, { recursive: true })
  renameSync(join(built, one.folder, "src"), join(place, "dist"))
  cpSync(join(from, "src"), join(place, "src"), { recursive: true })
  for (const source of Object.values(one.manifest.exports ?? {})) {
    if (source.endsWith(".json")) cpSync(join(from, source), join(place, source))
  }
  for (const file of files(join(place, "dist"), ".d.ts")) {
    writeFileSync(file, nameBuiltFiles(readFileSync(file, "utf8")))
  }
  leadToSources(place)
  checkEntryPoints(place, one)
  cpSync(join(root, "LICENSE"), join(place, "LICENSE"))
  writeFileSync(join(place, "README.md"), withoutRepositoryLinks(readFileSync(join(from, "README.md"), "utf8")))
  writeFileSync(join(place, "package.json"), json(manifest))
  const isFree = manifest["dependencies"] === undefined && manifest["peerDependencies"] === undefined
  if (isFree) writeFileSync(join(place, "jsr.json"), json(jsrManifest(one.manifest, version)))
}

/** A package as it is published. */
export interface StagedPackage {
  readonly name: string
  readonly folder: string
  /** How its entry points are imported, such as `@agent-platform/runs/memory`; those that are code. */
  readonly entryPoints: ReadonlyArray<string>
}

/** Builds every public package at this version below `out`, which is emptied before. Throws where one does not compile. */
export const stagePackages = (root: string, out: string, version: string): ReadonlyArray<StagedPackage> => {
  const all = publicPackages(root)
  const names = new Set(all.map(({ manifest }) => manifest.name))
  const built = join(out, ".built")
  rmSync(out, { recursive: true, force: true })
  compile(root, all, built)
  const staged = all.map((one) => {
    const { exports = {}, name } = one.manifest
    const folder = join(out, name.replace(/^.*\//, ""))
    stage(root, built, folder, one, version, names)
    const code = Object.keys(exports).filter((path) => exports[path]?.endsWith(".ts"))
    return { name, folder, entryPoints: code.map((path) => name + path.slice(1)) }
  })
  rmSync(built, { recursive: true, force: true })
  return staged
}
