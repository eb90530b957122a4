/**
 * `npm run test:worst [-- --only TEXT --all --seed N --short --no-reproductions --reproductions-only]`: what the worst inputs
 * cost, and whether anybody else notices. Fails where a bound is broken (docs/decisions/0039-worst-case-cost.md).
 */
import { parseArgs } from "node:util"
import { startTestPostgres } from "../local/testDatabase.ts"
import { FULL, SHORT } from "./cases.ts"
import { harness } from "./harness.ts"
import { reproduce } from "./reproductions.ts"
import { inColumns, tableOf } from "./table.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    all: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    "no-reproductions": { type: "boolean", default: false },
    "reproductions-only": { type: "boolean", default: false }
  }
})

const say = (line: string) => process.stdout.write(`${line}\n`)
const postgres = await startTestPostgres()
let failures = 0
try {
  if (!values["reproductions-only"]) {
    const scale = { ...(values.short ? SHORT : FULL), seed: Number(values.seed) }
    const only = (name: string) => name.includes(values.only ?? "")
    const { disturbers, neighbour, rows } = await harness(postgres.url, { scale, say, only })
    for (const line of [...tableOf(rows, values.all), "", ...neighbour, ...disturbers]) say(line)
    failures += rows.filter(({ faults }) => faults.length > 0).length + disturbers.length
  }
  if (!values["no-reproductions"]) {
    say("")
    const { faults, head, lines } = await reproduce(postgres.url, say)
    for (const line of inColumns(head, lines)) say(line)
    failures += faults
  }
  say(failures === 0 ? "\nNothing is over a bound." : `\n${failures} over a bound.`)
  process.exitCode = failures === 0 ? 0 : 1
} finally {
  await postgres.stop()
}
process.exit()
