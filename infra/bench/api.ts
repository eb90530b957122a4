/**
 * `npm run bench:api [-- --seconds 9 --connections 32 --only get,post --soak MINUTES --rate 200]`: the API beside a
 * Fastify and a plain Node server that are written by hand with pg, and pgbench where it is installed, all over one
 * database in one run. With `--soak` it measures nothing but the memory of the API and of a worker under a steady load.
 */
import { createHash } from "node:crypto"
import { prepare } from "../../apps/admin/src/prepare.ts"
import { readFlags } from "../local/flags.ts"
import { startApi } from "../system/harness.ts"
import { pgbenchRate } from "./api/pgbench.ts"
import { type Contender, measure, startHandwritten, type Target } from "./api/race.ts"
import { soak } from "./api/soak.ts"
import { MAKE_QUEUE } from "./api/statements.ts"
import { ask } from "./database.ts"
import { startDatabase } from "./delivery/database.ts"
import { SECRETS_KEY } from "./delivery/tenants.ts"

const values = readFlags(
  "npm run bench:api",
  "The API beside two servers that are written by hand with pg, and pgbench where it is installed.",
  {
    seconds: { value: "N", default: 9, says: "How long each is measured" },
    connections: { value: "N", default: 32, says: "Connections of the callers" },
    only: { value: "TEXT", default: "get,post", says: "What is measured, with commas between" },
    soak: { value: "N", says: "So many minutes of a steady load instead, for the memory of API and worker" },
    rate: { value: "N", default: 200, says: "Requests a second of that load" }
  }
)
const { connections, seconds } = values
const RUNS = "/api/v1/runs/"
/** So many runs are read by turns. Callers that ask for the same one at the same moment would share one reading of the API. */
const RUNS_READ = 200
const INPUT = { steps: [{ return: 1 }] }

const say = (line = "") => process.stdout.write(`${line}\n`)

const database = await startDatabase()
const { url } = database
const credentials = await prepare({ databaseUrl: url, databaseOwnerUrl: url, secretsKey: SECRETS_KEY, known: null })
await ask(url, MAKE_QUEUE)
const key = credentials.workspace_key
// The rate limit is counted as in every deployment, but never reached.
const api = await startApi(url, async () => ({ WORKSPACE_RATE_LIMIT: "1000000/60" }))
const body = { agent_id: credentials.agent_id, input: INPUT }

const race = async () => {
  const triggered: Array<string> = []
  while (triggered.length < RUNS_READ) {
    triggered.push(String((await api.ask(key, "POST", RUNS, body)).body.run_id))
  }
  const contenders: ReadonlyArray<Contender> = [
    { name: "ours", port: api.port, pid: api.pid(), stop: () => undefined },
    await startHandwritten("fastify", url),
    await startHandwritten("node", url)
  ]
  const [agent] = await ask<{ readonly organization_id: string; readonly workspace_id: string }>(
    url,
    "select organization_id, workspace_id from agent_platform.agent limit 1"
  )
  const pgbenchValues = {
    hash: createHash("sha256").update(key).digest("hex"),
    runId: triggered[0] ?? "",
    organizationId: agent?.organization_id ?? "",
    workspaceId: agent?.workspace_id ?? "",
    agentId: credentials.agent_id
  }
  const targets: Readonly<Record<"get" | "post", Target>> = {
    get: { title: "GET run", shot: { method: "GET", paths: triggered.map((id) => `${RUNS}${id}`), key, status: 200 } },
    post: { title: "POST runs/", shot: { method: "POST", paths: [RUNS], key, body, status: 202 }, fills: true }
  }
  for (const what of ["get", "post"] as const) {
    if (!values.only.split(",").includes(what)) continue
    const lines = await measure(database, targets[what], contenders, { connections, seconds })
    for (const line of lines) say(line)
    const rate = pgbenchRate(url, what, pgbenchValues, { connections: 8, seconds: Math.min(3, seconds) })
    say(rate === undefined ? "pgbench is not installed" : `pgbench, the same statements: ${rate.toFixed(0)}/s`)
    say()
  }
  for (const contender of contenders) contender.stop()
}

try {
  if (values.soak === undefined) await race()
  else await soak({ url, api, key, body, minutes: values.soak, rate: values.rate, say })
} finally {
  await api.stop()
  await database.stop()
}
process.exit(0)
