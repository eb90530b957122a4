/** `npm run test:crash [-- --rounds N]`: 200 rounds unless told otherwise; prints the counts, and fails if any fault is there. */
import { parseArgs } from "node:util"
import { crashRounds } from "./crashRounds.ts"
import { startOwnPostgres } from "./ownPostgres.ts"

const { values } = parseArgs({ options: { rounds: { type: "string", default: "200" } } })
const say = (line: string) => process.stdout.write(`${line}\n`)
const postgres = await startOwnPostgres()
const pairs = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ")
try {
  const account = await crashRounds(Number(values.rounds), {
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
