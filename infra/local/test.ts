/**
 * `npm test [-- vitest arguments]`, `npm run test:long` and `npm run check`: one line for each step, the output of those that fail, and a last
 * line with the counts that the runners report. With arguments vitest on Node alone runs.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { BUNDLES_VARIABLE } from "./appBundles.ts"
import { memoryFolder } from "./memoryFolder.ts"
import { type Counts, exitCodeOf, lastLine, none, plus } from "./suite/counts.ts"
import { credentialIn } from "./suite/credentialIn.ts"
import { killCommands } from "./suite/runCommand.ts"
import {
  biome,
  denoCheck,
  generators,
  type Step,
  type StepContext,
  tsc,
  tscOfDashboard,
  vitestLong,
  vitestLongOnDeno,
  vitestOfTheRuntime,
  vitestOnNode,
  vitestUsual
} from "./suite/steps.ts"
import { startTestPostgres } from "./testDatabase.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const [mode, ...chosen] = process.argv.slice(2)
const isWhole = mode !== "check" && chosen.length === 0

/** The steps of each command, in the order in which they begin: the longest first, so that none of them runs alone in the end. */
const STEPS: Readonly<Record<string, ReadonlyArray<Step>>> = {
  check: [denoCheck, tsc, tscOfDashboard, biome],
  test: [vitestUsual, vitestOfTheRuntime, tsc, tscOfDashboard, biome],
  long: [vitestLong, vitestLongOnDeno, denoCheck, generators]
}

const steps = chosen.length > 0 ? [vitestOnNode(chosen)] : (STEPS[mode ?? ""] ?? [])

/** How many steps run at the same time: one more than the two cores that are counted on, since many tests wait for leases. */
const STEPS_AT_ONCE = 3

/** Chosen tests are watched as they run; of the whole suite only failures are shown. */
const live = chosen.length > 0

const print = (text: string) => process.stdout.write(`${text}\n`)

const runStep = async (step: Step, context: StepContext): Promise<Counts> => {
  const { counts, exitCode, notes = [], output, seconds } = await step.run(context)
  // Whatever the tests log is part of their output, and no log holds a secret.
  const spilled = credentialIn(output)
  const counted = spilled === undefined ? counts : plus(counts, { ...none, failed: 1 })
  const good = exitCode === 0 && counted.failed === 0
  const { failed, passed, skipped } = counted
  if (!good && !live) print(`\n${output}\n`)
  print(
    `${good ? "ok    " : "FAILED"}  ${step.name.padEnd(26)}${passed} passed, ${failed} failed, ${skipped} skipped` +
      ` (${seconds.toFixed(1)} s)`
  )
  for (const note of notes) print(`        ${note}`)
  if (spilled !== undefined) print(`        what it printed holds a credential, which begins with ${spilled}`)
  return counted
}

/** Takes the next step as soon as one is done, until `queue`, which all workers share, holds no more. */
const runWorker = async (queue: Iterable<Step>, context: StepContext): Promise<Counts> => {
  let total = none
  for (const step of queue) total = plus(total, await runStep(step, context))
  return total
}

const sharedPostgres = async () => {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined && given !== "") return { url: given, stop: async () => undefined }
  return startTestPostgres()
}

const memory = memoryFolder()
if (process.env.TMPDIR === undefined && memory !== undefined) process.env.TMPDIR = memory

const reports = mkdtempSync(join(tmpdir(), "agent-platform-reports-"))
process.on("exit", () => {
  killCommands()
  rmSync(reports, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130))

// All runs of vitest share one server; a run of chosen tests starts it only if one of them asks for it.
const postgres = isWhole ? await sharedPostgres() : undefined
const environment = {
  ...process.env,
  // Hundreds of processes of the apps start in the tests; compiled once, each takes half the processor time to start.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(reports, "compiled"),
  [BUNDLES_VARIABLE]: join(reports, "bundles"),
  ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1", FORCE_COLOR: undefined }),
  ...(postgres === undefined ? {} : { TEST_DATABASE_URL: postgres.url })
}
const context = {
  root,
  environment,
  reports,
  ...(live && { onOutput: (chunk: Buffer) => process.stdout.write(chunk) })
}
const queue = steps.values()
const results = await Promise.all(Array.from({ length: STEPS_AT_ONCE }, () => runWorker(queue, context)))
await postgres?.stop()
const total = results.reduce(plus, none)
print(lastLine(total))
process.exit(exitCodeOf(total))
