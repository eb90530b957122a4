/** Holds how an app is started, in whatever way it is deployed, against the app. */
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

/** Those of all apps. */
export const everyVariable = new Set(Object.keys(SETTINGS).flatMap((main) => [...variablesOf(main)]))
/** That these are the flags of Node that the app with this main is started with everywhere. */
export const assertFlags = (flags: ReadonlyArray<string>, main: string) => {
  const [, app] = /^apps\/(admin|api|worker)\//.exec(main) ?? []
  assert.deepStrictEqual(flags, flagsOf(app as "admin" | "api" | "worker"), main)
}

/** That what follows the image's entry point is flags and a main. */
export const assertStart = (args: ReadonlyArray<string>, name: string) => {
  const main = args.find((arg) => !arg.startsWith("--")) ?? ""
  assert.isTrue(existsSync(join(TOP_FOLDER, main)), `${name} starts ${main}`)
  assertFlags([...MEMORY_FLAGS, ...args.slice(0, args.indexOf(main))], main)
}
