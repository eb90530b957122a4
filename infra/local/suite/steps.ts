import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Counts, ofChecker, ofVitest } from "./counts.ts"
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
  readonly run: (context: StepContext) => Promise<CommandResult & { readonly counts: Counts }>
}

/** The packages whose tests run on Deno as well: those that promise to run there. */
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
]

const VITEST_ARGUMENTS = ["run", "--config", "infra/vitest.config.ts"]

const binary = (root: string, name: string): string => join(root, "node_modules", ".bin", name)

const runIn = ({ environment, onOutput, root }: StepContext, command: string, args: ReadonlyArray<string>) =>
  runCommand(binary(root, command), args, { cwd: root, env: environment, ...(onOutput && { onOutput }) })

const checker = (name: string, command: string, args: (root: string) => ReadonlyArray<string>): Step => ({
  name,
  run: async (context) => {
    const result = await runIn(context, command, args(context.root))
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

const entries = (root: string): ReadonlyArray<string> => [
  ...foldersOf(root, "packages").flatMap((folder) => entryPointsOf(root, folder)),
  // The dashboard runs in browsers alone.
  ...foldersOf(root, "apps")
    .map((folder) => `${folder}/src/main.ts`)
    .filter((main) => existsSync(join(root, main)))
]

/** Formatting and lint rules. */
export const biome = checker("biome", "biome", () => ["ci", "."])

/** The types, on Node. */
export const tsc = checker("tsc", "tsc", () => ["-p", "."])

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

/** Every test of the packages on Node. */
export const vitestOfPackages = vitest("vitest on Node, packages", "vitest", () => [...VITEST_ARGUMENTS, "packages/"])

/** Every test of the apps on Node. */
export const vitestOfApps = vitest("vitest on Node, apps", "vitest", () => [...VITEST_ARGUMENTS, "apps/"])

/** Every test of infra on Node: of the tools, and of everything together. */
export const vitestOfInfra = vitest("vitest on Node, infra", "vitest", () => [...VITEST_ARGUMENTS, "infra/"])

const denoFolders = (root: string): ReadonlyArray<string> =>
  ON_DENO.map((name) => `packages/${name}/test/`).filter((folder) => existsSync(join(root, folder)))

/** The domain packages, the contract suites and the database adapters on Deno. */
export const vitestOnDeno = vitest("vitest on Deno", "deno", (root) => [
  "run",
  "-A",
  "node_modules/vitest/vitest.mjs",
  ...VITEST_ARGUMENTS,
  // That a suite catches a broken adapter is seen on Node; the runtime makes no difference to it.
  "--exclude=**/broken*.test.ts",
  // Matters of Postgres itself, which the runtime does not touch: plans, roles, the schema and its migrations.
  "--exclude=**/*[pP]lans.postgres.test.ts",
  "--exclude=**/{roles,schemas,foreignKeys,monthFunctions,migrations,migrationSteps}.postgres.test.ts",
  // Decided by SQL alone: the contract suites send the same statements through the same client there.
  "--exclude=**/{activityHistory,claims,compressedLogs,erasedTables,feedsFollowing,guests,lookUps,outbox}.postgres.test.ts",
  "--exclude=**/{prunedRuns,restoredRollUps,rollUps,tableKinds,temporaryKeys,tenantBoundaries,ways}.postgres.test.ts",
  "--exclude=**/{hostPool,holders,atomicity}.postgres.test.ts",
  // Matters of Postgres and of libraries of hosts: sizes of JSON, a pg-boss beside, and programs that are run by Node.
  "--exclude=**/embed/test/{json,pgBoss,examples}.postgres.test.ts",
  // Rules held against very many cases, the contract's document, and the size of a bundle, which is that of one compressor.
  "--exclude=**/{jsonSchema,grantChains,openapi,openapiExamples,bundle}.test.ts",
  // Models and rules over memory with a clock of the test, which ask nothing of the runtime: no socket, stream, file or timer.
  "--exclude=**/{runs,webhooks}/test/ports.memory.test.ts",
  "--exclude=**/runs/test/{acceptance.memory,cancel,cancelBatches,handedOver,listSessions,lostClaims,remindOfQuestions}.test.ts",
  "--exclude=**/runs/test/{resources.memory,runModel.memory,RunTails,RunWriter,RunWriter.batches,shares}.test.ts",
  "--exclude=**/webhooks/test/{DeliveryWorker.fairness,DeliveryWorker.faults,portDefaults,startReplay}.test.ts",
  "--exclude=**/keys/test/{RequestBlocks,SpendPeriod,logins,probeProviderKeys,revokeWithDescendants}.test.ts",
  // The requests to models and the use of their answers; streams, aborts, providers and their clients run here, too.
  "--exclude=**/chat/{approvedTools,deepAnswers,memory,pauses,promptCache,settings,strangeAnswers,tools}.test.ts",
  // The ledger, the feeds and the runs are read through the client that the other stores have; their hosts use them here, too.
  "--exclude=**/postgres/test/{acceptance,billing,feeds,heldPersons,keyDescendants,keyUse,ledger,readings}.postgres.test.ts",
  ...denoFolders(root)
])
