/** The short form of `npm run test:worst`, and the harness itself, over one platform. */
import { afterAll, assert, beforeAll, inject, it } from "vitest"
import { SHORT } from "./cases.ts"
import { type Harness, startHarness } from "./harness.ts"
import { nameOf } from "./measure.ts"
import { SLOW_NAME } from "./slow.ts"

/** Machines that have other things to do take many times as long; what is judged is the processor time. */
const MILLIS_MAX = 900_000

let harness: Harness | undefined

beforeAll(async () => {
  harness = await startHarness(inject("postgresUrl"), { say: () => undefined, preloads: ["./slowPreload.ts"] })
}, MILLIS_MAX)

afterAll(() => harness?.stop(), MILLIS_MAX)

it(
  "no input costs more than its bounds, and a neighbour notices none of them",
  async () => {
    const { disturbers, rows } = await harness!.measure({ scale: SHORT })
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
    const { rows } = await harness!.measure({
      scale: { ...SHORT, isSampled: false, placesPerCase: 1, known: { name: SLOW_NAME } },
      only: (name) => names.includes(name)
    })
    const faults = Object.fromEntries(rows.map((row) => [nameOf(row), row.faults.join("; ")]))
    assert.match(faults[names[0]!] ?? "", /^api: twice the input costs /)
    assert.match(faults[names[1]!] ?? "", /^api: held for \d+ ms$/)
    assert.strictEqual(faults[names[2]!], "")
  },
  MILLIS_MAX
)
