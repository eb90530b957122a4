/** The short form of `npm run test:worst`, and the harness itself. */
import { assert, inject, it } from "vitest"
import { SHORT } from "./cases.ts"
import { harness } from "./harness.ts"
import { nameOf } from "./measure.ts"

/** Machines that have other things to do take many times as long; what is judged is the processor time. */
const MILLIS_MAX = 900_000

const quiet = () => undefined

it(
  "no input costs more than its bounds, and a neighbour notices none of them",
  async () => {
    const { disturbers, rows } = await harness(inject("postgresUrl"), { scale: SHORT, say: quiet })
    const over = rows.filter(({ faults }) => faults.length > 0)
    assert.deepStrictEqual(
      over.map((row) => `${nameOf(row)}: ${row.faults.join("; ")}`),
      []
    )
    assert.deepStrictEqual(disturbers, [])
  },
  MILLIS_MAX
)

it(
  "a handler that is made quadratic and one that holds the event loop are found, and no other",
  async () => {
    const names = ["/recipes: elements", "/description: letters", "/tools: elements"].map(
      (member) => `POST /api/v1/agents ${member}`
    )
    const { rows } = await harness(inject("postgresUrl"), {
      scale: { ...SHORT, isSampled: false, placesPerCase: 1 },
      say: quiet,
      only: (name) => names.includes(name),
      preloads: ["./slowPreload.ts"]
    })
    const faults = Object.fromEntries(rows.map((row) => [nameOf(row), row.faults.join("; ")]))
    // Whether its growth or its hold is found first is up to the machine.
    assert.match(faults[names[0]!] ?? "", /^api: (?:twice the input costs|held for) /)
    assert.match(faults[names[1]!] ?? "", /^api: held for \d+ ms$/)
    assert.strictEqual(faults[names[2]!], "")
  },
  MILLIS_MAX
)
