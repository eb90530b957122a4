/** `npm run test:worst`: see docs/decisions/0039-worst-case-cost.md. */
import { readFlags } from "../local/flags.ts"
import type { Row } from "./measure.ts"

const values = readFlags(
  "npm run test:worst",
  "What the worst inputs cost, and whether another tenant notices. Ends with 1 where a bound is broken. Takes about a quarter of an hour.",
  {
    sample: { says: "Fill each place in one way instead of all, which takes some minutes" },
    short: { says: "The same with smaller sizes, as npm test does it" },
    seed: { value: "N", default: 1, says: "Chooses what is in a sample" },
    only: { value: "TEXT", says: "Only cases whose name contains this, such as 'POST /api/v1/runs/'" },
    all: { says: "Print every row as it was measured, not only those over a bound" },
    "no-reproductions": { says: "Leave out the inputs that have stopped everybody before" },
    "reproductions-only": { says: "Try those alone" }
  }
)

// Loaded when the flags are understood: they bring the whole platform with them, which takes seconds.
const [
  { startTestPostgres },
  { FULL, SAMPLE, SHORT },
  { startHarness },
  { reproduce },
  { inColumns, lineOf, tableOf }
] = await Promise.all([
  import("../local/testDatabase.ts"),
  import("./cases.ts"),
  import("./harness.ts"),
  import("./reproductions.ts"),
  import("./table.ts")
])

const say = (line: string) => process.stdout.write(`${line}\n`)
// Child processes end with this one.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130))
const postgres = await startTestPostgres()
let failures = 0
try {
  if (!values["reproductions-only"]) {
    const scale = { ...(values.short ? SHORT : values.sample ? SAMPLE : FULL), seed: values.seed }
    const only = (name: string) => name.includes(values.only ?? "")
    const onRow = (row: Row) => {
      if (values.all || row.faults.length > 0) say(lineOf(row))
    }
    const harness = await startHarness(postgres.url, { say })
    const { disturbers, neighbour, rows } = await harness.measure({ scale, onRow, only }).finally(harness.stop)
    for (const line of ["", ...tableOf(rows), "", ...neighbour, ...disturbers]) say(line)
    if (rows.length === 0) say(`No case has "${values.only}" in its name.`)
    failures += rows.filter(({ faults }) => faults.length > 0).length + disturbers.length + (rows.length === 0 ? 1 : 0)
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
