/** The steps of `npm test`, `npm run test:long` and `npm run check`: which programs they run, over which tests. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Counts, leftOutIn, ofChecker, ofLines, ofVitest } from "./counts.ts"
import { type CommandResult, runCommand } from "./runCommand.ts"

/** The context of a step of `npm test`. */
export interface StepContext {
  /** The root of the checkout. */
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  /** A folder for the runners' reports. */
  readonly reports: string
  /** Sees what the step prints as it comes. */
  readonly onOutput?: (chunk: Buffer) => void
}

/** One line of `npm test`. */
export interface Step {
  readonly name: string
  readonly run: (context: StepContext) => Promise<StepResult>
}

/** How a step ended. */
export interface StepResult extends CommandResult {
  readonly counts: Counts
  /** Lines about what it left out, which are shown even where nothing failed. */
  readonly notes?: ReadonlyArray<string>
}

/** The packages whose tests run on Deno as well, all of them by `npm run test:long`: those that promise to run there. */
const ON_DENO = [
  "toolkit",
  "kernel",
  "runs",
  "keys",
  "oauth",
  "webhooks",
  "client",
  "receiver",
  "embed",
  "contract",
  "postgres",
  "pg-boss",
  "models"
].map((name) => `packages/${name}/test/`)

/**
 * The tests that `npm test` runs on Deno: all of the packages that are made to be used alone, and one suite for each thing that is asked of
 * the runtime, which is HTTP, a socket, a stream, a timer, a key or the client of Postgres.
 */
const ASKING_THE_RUNTIME = [
  "packages/toolkit/test/",
  "packages/kernel/test/",
  "packages/client/test/",
  "packages/receiver/test/",
  "packages/contract/test/calls",
  "packages/embed/test/runs",
  "packages/keys/test/authenticate",
  "packages/postgres/test/postgres",
  "packages/runs/test/RunWorker",
  "packages/webhooks/test/DeliveryWorker.test",
  "packages/webhooks/test/Signature",
  "packages/webhooks/test/attemptDelivery"
]

/**
 * The tests that only `npm run test:long` runs: rounds of kill -9 and of restarts, pages whose lines take minutes, and the suites over
 * implementations that are broken on purpose, which change only where a contract does.
 */
const LONG = { exclude: ["**/broken*.test.ts", "**/*.long.*test.ts"], filters: ["/broken", ".long."] }

const VITEST_ARGUMENTS = ["run", "--config", "infra/vitest.config.ts"]

const binary = (root: string, name: string): string => join(root, "node_modules", ".bin", name)

const runIn = ({ environment, onOutput, root }: StepContext, command: string, args: ReadonlyArray<string>) =>
  runCommand(binary(root, command), args, { cwd: root, env: environment, ...(onOutput && { onOutput }) })

const checker = (name: string, command: string, args: (root: string) => ReadonlyArray<string>): Step => ({
  name,
  run: async ({ environment, ...context }) => {
    // The compiler is written in Go, whose garbage collector takes four tenths of its time to save a tenth of its memory.
    const result = await runIn(
      { ...context, environment: { GOGC: "off", ...environment } },
      command,
      args(context.root)
    )
    return { ...result, counts: ofChecker(result.exitCode) }
  }
})

const foldersOf = (root: string, kind: "packages" | "apps"): ReadonlyArray<string> =>
  readdirSync(join(root, kind)).map((name) => `${kind}/${name}`)

const entryPointsOf = (root: string, folder: string): ReadonlyArray<string> => {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
    readonly exports?: Readonly<Record<string, string>>
  }
  const entryPoints = Object.values(manifest.exports ?? {}).filter((path) => path.endsWith(".ts"))
  return entryPoints.map((path) => join(folder, path))
}

/** The files from which Deno checks everything that it is to run. */
const entries = (root: string): ReadonlyArray<string> => [
  ...foldersOf(root, "packages").flatMap((folder) => entryPointsOf(root, folder)),
  // The dashboard runs in browsers alone.
  ...foldersOf(root, "apps")
    .map((folder) => `${folder}/src/main.ts`)
    .filter((main) => existsSync(join(root, main)))
]

/** Formatting and lint rules. */
export const biome = checker("biome", "biome", () => ["ci", "."])

/** The types, on Node; several checkers would each work out the same types anew, which costs half as much again. */
export const tsc = checker("tsc", "tsc", () => ["-p", ".", "--checkers", "1"])

/** The types of the dashboard, which has a browser's where the others have Node's. */
export const tscOfDashboard = checker("tsc, dashboard", "tsc", () => ["-p", "apps/dashboard"])

/** The types of every package's entry points and every app, on Deno. */
export const denoCheck = checker("deno check", "deno", (root) => ["check", "--quiet", ...entries(root)])

const vitest = (name: string, command: string, args: (root: string) => ReadonlyArray<string>): Step => ({
  name,
  run: async (context) => {
    const report = join(context.reports, `${name.replaceAll(" ", "-")}.json`)
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
    const result = await runIn(context, command, [...args(context.root), ...reporters])
    return { ...result, counts: ofVitest(report, result.exitCode) }
  }
})

/** The tests on Node that the arguments choose. */
export const vitestOnNode = (chosen: ReadonlyArray<string>): Step =>
  vitest("vitest on Node", "vitest", () => [...VITEST_ARGUMENTS, ...chosen])

const excluding = (globs: ReadonlyArray<string>) => globs.map((glob) => `--exclude=${glob}`)

/** Every test on Node but the long ones. */
export const vitestUsual = vitest("vitest on Node", "vitest", () => [...VITEST_ARGUMENTS, ...excluding(LONG.exclude)])

/** The long tests, on Node. */
export const vitestLong = vitest("vitest on Node, long", "vitest", () => [...VITEST_ARGUMENTS, ...LONG.filters])

const vitestOnDeno = (name: string, chosen: ReadonlyArray<string>, excluded: ReadonlyArray<string>): Step =>
  vitest(name, "deno", () => [
    "run",
    "-A",
    "node_modules/vitest/vitest.mjs",
    ...VITEST_ARGUMENTS,
    ...excluding(excluded),
    ...chosen
  ])

/** The suites that ask something of the runtime, on Deno. */
export const vitestOfTheRuntime = vitestOnDeno("vitest on Deno", ASKING_THE_RUNTIME, LONG.exclude)

/** All tests of the packages that run on Deno, but those of programs that are run by Node and of libraries of its hosts. */
export const vitestLongOnDeno = vitestOnDeno("vitest on Deno, all", ON_DENO, [
  ...LONG.exclude,
  "**/embed/test/{json,pgBoss,examples}.postgres.test.ts"
])

/** Clients that generators make of the OpenAPI document, each checked and run; those are left out that no registry gives here. */
export const generators: Step = {
  name: "generators",
  run: async ({ environment, root }) => {
    const script = join(root, "infra", "release", "testGenerators.ts")
    const result = await runCommand(process.execPath, [script], { cwd: root, env: environment })
    return { ...result, counts: ofLines(result.output, result.exitCode), notes: leftOutIn(result.output) }
  }
}
