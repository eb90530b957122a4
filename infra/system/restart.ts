/** `npm run test:restarts` */
import { readFlags } from "../local/flags.ts"
import { startOwnPostgres } from "./ownPostgres.ts"
import { hasProxy, PROXIES } from "./proxies.ts"
import { restartRounds } from "./restartRounds.ts"

const { callers, requests, restarts } = readFlags(
  "npm run test:restarts",
  "Restarts every app under load behind haproxy and nginx as docs/operations.md configures them, and counts what fails. Ends with 1 if anything does.",
  {
    restarts: { value: "N", default: 20, says: "How often each app is restarted" },
    requests: { value: "N", default: 10_000, says: "How many requests are answered at least" },
    callers: { value: "N", default: 6, says: "How many callers each proxy has at a time" }
  }
)
const say = (line: string) => process.stdout.write(`${line}\n`)
const proxies = PROXIES.filter(hasProxy)
for (const name of PROXIES) if (!proxies.includes(name)) say(`There is no ${name} on the PATH: it is left out`)
if (proxies.length === 0) process.exit(1)
const postgres = await startOwnPostgres()
try {
  const account = await restartRounds(postgres.url, { restarts, requests, callers, proxies, say })
  for (const [way, count] of Object.entries(account.requests)) say(`${count} requests through ${way}`)
  say(
    `${account.restarts} restarts of each app, ${account.accepted} runs accepted, ${account.deliveries} deliveries received, ` +
      `${account.jobs} jobs by the clock done`
  )
  for (const failure of account.failures) say(`  ${failure}`)
  for (const [fault, count] of Object.entries(account.faults))
    say(`${count === 0 ? "ok    " : "FAULT "} ${count} ${fault}`)
  process.exitCode = Object.values(account.faults).some((count) => count > 0) ? 1 : 0
} finally {
  await postgres.stop()
}
process.exit()
