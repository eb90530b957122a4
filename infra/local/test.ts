/**
 * `npm test [-- vitest arguments]` and `npm run check`: one line for each step, the output of those that fail, and a last
 * line with the counts that the runners report. With arguments vitest on Node alone runs.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Counts, exitCodeOf, lastLine, none, plus } from "./suite/counts.ts"
import { credentialIn } from "./suite/credentialIn.ts"
import { killCommands } from "./suite/runCommand.ts"
import {
  biome,
  denoCheck,
  type Step,
  type StepContext,
  tsc,
  vitestOfApps,
  vitestOfRooms,
  vitestOnDeno,
  vitestOnNode
} from "./suite/steps.ts"
import { startTestPostgres } from "./testDatabase.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const [mode, ...chosen] = process.argv.slice(2)
const checks = [biome, tsc, denoCheck]

/** Steps of a lane run one after the other, lanes at the same time: two cores are enough for two. */
const lanes: ReadonlyArray<ReadonlyArray<Step>> =
  mode === "check"
    ? [checks]
    : chosen.length > 0
      ? [[vitestOnNode(chosen)]]
      : [
          [vitestOfRooms, vitestOfApps],
          [...checks, vitestOnDeno]
        ]

/** Whoever chose some tests wants to watch them; of the whole suite only what fails is shown. */
const live = chosen.length > 0

const print = (text: string) => process.stdout.write(`${text}\n`)

const runStep = async (step: Step, context: StepContext): Promise<Counts> => {
  const { counts, exitCode, output, seconds } = await step.run(context)
  // Whatever the tests log is part of their output, and no log holds a secret.
  const spilled = credentialIn(output)
  const counted = spilled === undefined ? counts : plus(counts, { ...none, failed: 1 })
  const good = exitCode === 0 && counted.failed === 0
  const { failed, passed, skipped } = counted
  if (!good && !live) print(`\n${output}\n`)
  print(
    `${good ? "ok    " : "FAILED"}  ${step.name.padEnd(16)}${passed} passed, ${failed} failed, ${skipped} skipped` +
      ` (${seconds.toFixed(1)} s)`
  )
  if (spilled !== undefined) print(`        what it printed holds a credential, which begins with ${spilled}`)
  return counted
}

const runLane = async (lane: ReadonlyArray<Step>, context: StepContext): Promise<Counts> => {
  let total = none
  for (const step of lane) total = plus(total, await runStep(step, context))
  return total
}

const sharedPostgres = async () => {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined && given !== "") return { url: given, stop: async () => undefined }
  return startTestPostgres()
}

const reports = mkdtempSync(join(tmpdir(), "agent-platform-reports-"))
process.on("exit", () => {
  killCommands()
  rmSync(reports, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130))

// Both runs of vitest share one server; a run of chosen tests starts it only if one of them asks for it.
const postgres = lanes.length > 1 ? await sharedPostgres() : undefined
const environment = {
  ...process.env,
  ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1", FORCE_COLOR: undefined }),
  ...(postgres === undefined ? {} : { TEST_DATABASE_URL: postgres.url })
}
const context = {
  root,
  environment,
  reports,
  ...(live && { onOutput: (chunk: Buffer) => process.stdout.write(chunk) })
}
const results = await Promise.all(lanes.map((lane) => runLane(lane, context)))
await postgres?.stop()
const total = results.reduce(plus, none)
print(lastLine(total))
process.exit(exitCodeOf(total))
