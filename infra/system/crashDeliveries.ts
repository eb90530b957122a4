/** `npm run test:crash:deliveries` */
import { readFlags } from "../local/flags.ts"
import { crashDeliveries } from "./deliveryCrash.ts"

const { deliveries, rounds } = readFlags(
  "npm run test:crash:deliveries",
  "Kills the worker and Postgres while deliveries drain, and counts what is lost and what comes twice. Ends with 1 if any is lost.",
  {
    rounds: { value: "N", default: 100, says: "How often" },
    deliveries: { value: "N", default: 50_000, says: "How many deliveries" }
  }
)

const result = await crashDeliveries({
  rounds,
  deliveries,
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
