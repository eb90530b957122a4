/**
 * `npm run bench:storage`: the bytes that a run leaves behind, by table and index, as they grow under load. What was there before and a
 * first part of the runs is not counted: tables grow by pages, and room that comes free is used again.
 */
import { readFlags } from "../local/flags.ts"
import { type CapacityTenant, startDeployment } from "./capacity/deployment.ts"
import { differencesOf, sizesOf } from "./storage/sizes.ts"

const { events, runs, tenants } = readFlags("npm run bench:storage", "The bytes that a run leaves behind.", {
  runs: { value: "N", default: 6_000, says: "Runs that are measured; a third as many go before" },
  events: {
    value: "N",
    default: 1,
    says: "What each run says, beside the four entries of its log that every run with an answer has"
  },
  tenants: { value: "N", default: 8, says: "Organizations that the runs are of" }
})

const CONNECTIONS = 16
const POOL = 10

const say = (line: string) => process.stdout.write(`${line}\n`)

const deployment = await startDeployment(1, 1, POOL)
try {
  const made: Array<CapacityTenant> = []
  for (let number = 0; number < tenants; number++) made.push(await deployment.makeTenant(`Tenant ${number}`))
  const steps = [...Array.from({ length: events }, () => ({ say: "Some words of an answer. " })), { return: 1 }]
  const drive = (count: number) => deployment.drive(made, { runs: count, connections: CONNECTIONS, steps })
  await drive(Math.ceil(runs / 3))
  const before = await sizesOf(deployment.query)
  await drive(runs)
  const parts = differencesOf(before, await sizesOf(deployment.query))
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  say(
    `${runs} runs, of ${tenants} organizations, with ${events + 4} log entries each: ${Math.round(total / runs)} B a run`
  )
  say("\n| Table | Index | Bytes a run |\n| --- | --- | --- |")
  for (const { bytes, index, table } of parts.filter((part) => part.bytes >= runs)) {
    say(`| ${table} | ${index ?? ""} | ${Math.round(bytes / runs)} |`)
  }
} finally {
  await deployment.stop()
}
process.exit(0)
