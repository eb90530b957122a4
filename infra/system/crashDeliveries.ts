/** `npm run test:crash:deliveries -- [--rounds 100] [--deliveries 50000]`. Ends with 1 when anything was lost. */
import { parseArgs } from "node:util"
import { crashDeliveries } from "./deliveryCrash.ts"

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "100" }, deliveries: { type: "string", default: "50000" } }
})

const result = await crashDeliveries({
  rounds: Number(values.rounds),
  deliveries: Number(values.deliveries),
  say: (line) => console.log(line)
})
const { duplicates, expected, kills, left, lost } = result
console.log(`${kills.worker} kills of the worker, ${kills.postgres} of Postgres, ${expected} deliveries`)
console.log(`lost ${lost}, left ${left}`)
console.log(
  `sent twice ${duplicates}: ${((duplicates / expected) * 100).toFixed(2)} % of all, ` +
    `${(duplicates / (kills.worker + kills.postgres)).toFixed(1)} a kill`
)
process.exitCode = lost + left === 0 ? 0 : 1
