/** `npm run test:failover` */
import { readFlags } from "../local/flags.ts"
import { failoverRounds } from "./failoverRounds.ts"

const { rounds } = readFlags(
  "npm run test:failover",
  "Kills the primary of a synchronous standby under load and counts what became of every run. Ends with 1 if any fault is there.",
  { rounds: { value: "N", default: 10, says: "How often" } }
)
const say = (line: string) => process.stdout.write(`${line}\n`)
const accounts = await failoverRounds(rounds, say)
const faults = new Map<string, number>()
for (const account of accounts) {
  for (const [fault, count] of Object.entries(account.faults)) faults.set(fault, (faults.get(fault) ?? 0) + count)
}
const accepted = accounts.reduce((sum, account) => sum + account.accepted, 0)
say(
  `${rounds} failovers, ${accepted} runs accepted, back after ${Math.max(...accounts.map(({ seconds }) => seconds)).toFixed(1)} s at most`
)
for (const [fault, count] of faults) say(`${count === 0 ? "ok    " : "FAULT "} ${count} ${fault}`)
process.exit([...faults.values()].some((count) => count > 0) ? 1 : 0)
