/**
 * The apps as one file each, for the tests that start them as processes: Node then has one module to find instead of 1,700, and a
 * start takes 0.9 s of processor time instead of 2.2. Bundles are made of the sources as they stand by the first process of a test
 * run that needs them, and go with that run, so that none is ever older than what it is to test.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build, type Plugin, stop } from "esbuild"

const APPS = ["api", "worker", "admin"] as const

/** The apps that are bundled. */
export type AppName = (typeof APPS)[number]

/** A program to be started. */
export interface Startable {
  /** Its main file. */
  readonly main: string
  /** Where Node keeps what it has compiled of it: an app that is killed and started again does not compile its code anew. */
  readonly environment: { readonly NODE_COMPILE_CACHE: string }
}

/** The variable by which the processes of a test run share a folder for bundles. */
export const BUNDLES_VARIABLE = "AGENT_PLATFORM_TEST_BUNDLES"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Writes a source's own address for `import.meta.url`, so that a bundled module still finds the files beside its source. */
const ownAddress: Plugin = {
  name: "the address of a source",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8")
      if (!source.includes("import.meta.url")) return undefined
      const address = JSON.stringify(pathToFileURL(path).href)
      return { contents: source.replaceAll("import.meta.url", address), loader: "ts" }
    })
}

/** Packages in CommonJS call `require` when they run, which a module has to make for them. */
const REQUIRE =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'

/** Makes a file of each entry point, by its name. With `shared`, code that several have in common is in files that they import. */
export const makeBundles = async (
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
  { shared = false }: { readonly shared?: boolean } = {}
) => {
  await build({
    absWorkingDir: root,
    entryPoints: { ...entryPoints },
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: shared,
    platform: "node",
    format: "esm",
    target: "node26",
    external: ["pg-native"],
    banner: { js: REQUIRE },
    plugins: [ownAddress],
    logLevel: "warning"
  })
  await stop()
}

const ownFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-bundles-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

let folder: string | undefined

/** The folder with a set of bundles, which are made unless another process of this test run has made them. */
const provide = async (set: string, entryPoints: Readonly<Record<string, string>>): Promise<string> => {
  folder ??= process.env[BUNDLES_VARIABLE] ?? ownFolder()
  const shared = join(folder, set)
  if (existsSync(shared)) return shared
  mkdirSync(folder, { recursive: true })
  const mine = mkdtempSync(join(folder, "making-"))
  await makeBundles(entryPoints, mine)
  try {
    renameSync(mine, shared)
  } catch (error) {
    // Another process was quicker, with the same.
    if (!existsSync(shared)) throw error
  }
  return shared
}

const provided = new Map<string, Promise<string>>()

const bundleIn = async (
  set: string,
  entryPoints: Readonly<Record<string, string>>,
  name: string
): Promise<Startable> => {
  const made = provided.get(set) ?? provide(set, entryPoints)
  provided.set(set, made)
  const at = await made
  return { main: join(at, `${name}.mjs`), environment: { NODE_COMPILE_CACHE: join(at, "compiled") } }
}

/** An app as it is shipped, file by file: a few tests start it so, to see that it does. */
export const appSources = (name: AppName): Startable => ({
  main: join(root, `apps/${name}/src/main.ts`),
  environment: { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node-compile") }
})

const MAINS = Object.fromEntries(APPS.map((name) => [name, `apps/${name}/src/main.ts`]))

/** The bundle of an app. All are made when the first one of this test run is asked for. */
export const appBundle = (name: AppName): Promise<Startable> => bundleIn("apps", MAINS, name)

/** The bundle of a program of the tests, by its file from the root of the checkout. */
export const programBundle = (path: string): Promise<Startable> =>
  bundleIn(path.replaceAll(/\W/g, "-"), { program: path }, "program")
