/**
 * `npm run test:worst [-- --only TEXT --all --seed N --sample --short --no-reproductions --reproductions-only]`: what the worst inputs
 * cost, and whether anybody else notices. Fails where a bound is broken (docs/decisions/0039-worst-case-cost.md).
 */
import { parseArgs } from "node:util"
import { startTestPostgres } from "../local/testDatabase.ts"
import { FULL, SAMPLE, SHORT } from "./cases.ts"
import { harness } from "./harness.ts"
import type { Row } from "./measure.ts"
import { reproduce } from "./reproductions.ts"
import { inColumns, lineOf, tableOf } from "./table.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    all: { type: "boolean", default: false },
    sample: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    "no-reproductions": { type: "boolean", default: false },
    "reproductions-only": { type: "boolean", default: false }
  }
})

const say = (line: string) => process.stdout.write(`${line}\n`)
// What was started ends with this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130))
const postgres = await startTestPostgres()
let failures = 0
try {
  if (!values["reproductions-only"]) {
    const scale = { ...(values.short ? SHORT : values.sample ? SAMPLE : FULL), seed: Number(values.seed) }
    const only = (name: string) => name.includes(values.only ?? "")
    const onRow = (row: Row) => {
      if (values.all || row.faults.length > 0) say(lineOf(row))
    }
    const { disturbers, neighbour, rows } = await harness(postgres.url, { scale, say, onRow, only })
    for (const line of ["", ...tableOf(rows), "", ...neighbour, ...disturbers]) say(line)
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
