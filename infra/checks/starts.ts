/** Checks how deployments start an app, of whatever kind they are: that the app has this main, these flags and these variables. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { SETTINGS as adminSettings } from "../../apps/admin/src/config.ts"
import { SETTINGS as apiSettings } from "../../apps/api/src/config.ts"
import { SETTINGS as workerSettings } from "../../apps/worker/src/config.ts"
import { flagsOf, MEMORY_FLAGS } from "../local/memory.mjs"
import { TOP_FOLDER } from "./repository.ts"

const SETTINGS = {
  "apps/api/src/main.ts": apiSettings,
  "apps/worker/src/main.ts": workerSettings,
  "apps/admin/src/main.ts": adminSettings
} as const

/** The variables that the app with this main reads. */
export const variablesOf = (main: string): ReadonlySet<string> =>
  new Set((SETTINGS[main as keyof typeof SETTINGS] ?? []).map(({ variable }) => variable))

/** The variables of all apps. */
export const everyVariable = new Set(Object.keys(SETTINGS).flatMap((main) => [...variablesOf(main)]))

/** Asserts that these are the flags of Node that the app with this main is started with everywhere. */
export const assertFlags = (flags: ReadonlyArray<string>, main: string) => {
  const [, app] = /^apps\/(admin|api|worker)\//.exec(main) ?? []
  assert.deepStrictEqual(flags, flagsOf(app as "admin" | "api" | "worker"), main)
}

/** Asserts that what follows the image's entry point is the flags of an app and its main. */
export const assertStart = (args: ReadonlyArray<string>, name: string) => {
  const main = args.find((arg) => !arg.startsWith("--")) ?? ""
  assert.isTrue(existsSync(join(TOP_FOLDER, main)), `${name} starts ${main}`)
  assertFlags([...MEMORY_FLAGS, ...args.slice(0, args.indexOf(main))], main)
}
