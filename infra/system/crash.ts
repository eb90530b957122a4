/** `npm run test:crash` */
import { readFlags } from "../local/flags.ts"
import { crashRounds } from "./crashRounds.ts"
import { startOwnPostgres } from "./ownPostgres.ts"

const { rounds } = readFlags(
  "npm run test:crash",
  "Kills processes at random moments and counts what became of every run. Ends with 1 if any fault is there.",
  { rounds: { value: "N", default: 200, says: "How often" } }
)
const say = (line: string) => process.stdout.write(`${line}\n`)
const postgres = await startOwnPostgres()
const pairs = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ")
try {
  const account = await crashRounds(rounds, {
    postgresUrl: postgres.url,
    postgresPid: postgres.pid,
    say
  })
  say(`${account.rounds} rounds, killed: ${pairs(account.kills)}`)
  say(`${account.accepted} runs accepted; ended: ${pairs(account.ended)}; ${account.deliveries} deliveries received`)
  for (const [fault, count] of Object.entries(account.faults))
    say(`${count === 0 ? "ok    " : "FAULT "} ${count} ${fault}`)
  process.exitCode = Object.values(account.faults).some((count) => count > 0) ? 1 : 0
} finally {
  await postgres.stop()
}
process.exit()
