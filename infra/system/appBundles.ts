/**
 * The apps as one file each, for the tests that start them as processes: Node then has one module to find instead of 1,700, and a
 * start takes 0.8 s of processor time instead of 2. A bundle is made of the sources as they stand by the run that uses it, and goes
 * with it, so that none is ever older than what it is to test.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build, type Plugin } from "esbuild"
import type { TestProject } from "vitest/node"
import { testFilesOf } from "../local/testDatabase.ts"

/** The apps that are bundled. */
export const APPS = ["api", "worker", "admin"] as const
export type AppName = (typeof APPS)[number]

/** The test files that start apps. */
const STARTS_APPS = /[\\/]infra[\\/](?:system|worst)[\\/].*\.postgres\.test\.ts$/

/** Names the folder of the bundles that a process was started with. */
const FOLDER = "AGENT_PLATFORM_APP_BUNDLES"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** A module that reads files beside its source finds them there. */
const ownAddress: Plugin = {
  name: "the address of a source",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/](?:apps|packages)[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8")
      if (!source.includes("import.meta.url")) return undefined
      const address = JSON.stringify(pathToFileURL(path).href)
      return { contents: source.replaceAll("import.meta.url", address), loader: "ts" }
    })
}

const makeBundles = (folder: string) =>
  build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(APPS.map((name) => [name, `apps/${name}/src/main.ts`])),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    external: ["pg-native"],
    // Packages in CommonJS require Node's modules at run time.
    banner: {
      js: 'import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);'
    },
    plugins: [ownAddress],
    logLevel: "warning"
  })

/** Makes the bundles of this process and those that it starts; ends with what removes them. */
export const provideAppBundles = async (): Promise<() => void> => {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-apps-"))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once("exit", remove)
  await makeBundles(folder)
  process.env[FOLDER] = folder
  return () => {
    process.off("exit", remove)
    delete process.env[FOLDER]
    remove()
  }
}

let provided: Promise<unknown> | undefined

/** The bundle of an app: of this test run, or else made now for as long as this process lives. */
export const appBundle = async (name: AppName): Promise<string> => {
  if (process.env[FOLDER] === undefined) await (provided ??= provideAppBundles())
  return join(process.env[FOLDER] as string, `${name}.mjs`)
}

/** Vitest's global setup: makes the bundles once for all processes of a run that starts apps. */
export default async (project: TestProject): Promise<(() => void) | undefined> =>
  (await testFilesOf(project)).some((path) => STARTS_APPS.test(path)) ? provideAppBundles() : undefined
