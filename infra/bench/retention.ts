/**
 * `npm run bench:retention`: what it costs to forget the runs that `RUN_HISTORY_DAYS` lets go, over tables of two sizes, while
 * callers go on. Prints how long a run takes to be forgotten and what callers wait for meanwhile, beside what they wait for alone.
 */
import { cpus, loadavg } from "node:os"
import { layerClient, layer as layerPostgres, TIMEOUTS } from "@agent-platform/postgres"
import { forgetRuns } from "@agent-platform/runs"
import { Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { readFlags } from "../local/flags.ts"
import { makeDatabase, startApi } from "../system/harness.ts"
import { startOwnPostgres } from "../system/ownPostgres.ts"
import { ask } from "./database.ts"
import { paced, percentile } from "./measure.ts"
import { fillRuns } from "./retention/fill.ts"

const { runs, share, rate } = readFlags("npm run bench:retention", "What it costs to forget old runs under load.", {
  runs: { value: "N", default: 2_000_000, says: "Runs of the large table; the small one has a quarter" },
  share: { value: "N", default: 0.1, says: "The part of them that is old enough to go" },
  rate: { value: "N", default: 200, says: "Requests a second meanwhile: a tenth of them triggers a run" }
})
const DAYS = 35
const ALONE_SECONDS = 10
const SLICE_SECONDS = 1

const print = (line = "") => process.stdout.write(`${line}\n`)

/** Asks the API at the rate until `over`, and answers what each request waited, in ms, and which were not answered well. */
const load = async (port: number, key: string, agentId: string, over: () => boolean) => {
  const waited: Array<number> = []
  const failed: Array<string> = []
  let count = 0
  const act = async () => {
    const isTrigger = count++ % 10 === 0
    const begun = performance.now()
    const sent = fetch(`http://127.0.0.1:${port}/api/v1/runs/${isTrigger ? "" : "?limit=1"}`, {
      headers: { "x-api-key": key, "content-type": "application/json" },
      ...(isTrigger && { method: "POST", body: JSON.stringify({ agent_id: agentId, message: "hello" }) })
    })
    await sent.then(
      async (response) => {
        await response.arrayBuffer()
        if (response.ok) waited.push(performance.now() - begun)
        else failed.push(String(response.status))
      },
      (error: unknown) => failed.push(String(error))
    )
  }
  while (!over()) await paced(rate, SLICE_SECONDS, act)
  return { waited, failed }
}

const summary = ({ failed, waited }: Awaited<ReturnType<typeof load>>) =>
  `${waited.length} requests, ${failed.length} failed, p50 ${percentile(waited, 0.5).toFixed(1)} ms, ` +
  `p99 ${percentile(waited, 0.99).toFixed(1)} ms`

const postgres = await startOwnPostgres()
print(
  `${cpus().length} CPUs, load ${loadavg()
    .map((one) => one.toFixed(1))
    .join(" ")}; ${rate} requests a second`
)

const perRun: Array<number> = []
for (const total of [runs / 4, runs]) {
  const database = await makeDatabase(postgres.url)
  const old = Math.floor(total * share)
  const begun = performance.now()
  await fillRuns(database.superuserUrl, database.credentials, { total, old, days: DAYS })
  await ask(database.superuserUrl, "vacuum analyze")
  print(`\n${total} runs, of which ${old} may go, made in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  const api = await startApi(database.url)
  const runtime = ManagedRuntime.make(
    layerPostgres.pipe(
      Layer.provideMerge(layerClient({ url: Redacted.make(database.url), maxConnections: 4, timeouts: TIMEOUTS.jobs })),
      Layer.provide(Logger.layer([]))
    )
  )
  const { agent_id: agentId, workspace_key: key } = database.credentials
  const until = performance.now() + ALONE_SECONDS * 1000
  print(`  alone:     ${summary(await load(api.port, key, agentId, () => performance.now() > until))}`)
  let isOver = false
  const loading = load(api.port, key, agentId, () => isOver)
  const forgetting = performance.now()
  const forgotten = await runtime.runPromise(forgetRuns({ days: DAYS, after: undefined, onPortion: () => Effect.void }))
  const seconds = (performance.now() - forgetting) / 1000
  isOver = true
  print(`  meanwhile: ${summary(await loading)}`)
  perRun.push((seconds * 1e6) / forgotten.runs)
  print(`  forgot ${forgotten.runs} runs in ${seconds.toFixed(1)} s, ${perRun.at(-1)?.toFixed(0)} µs each`)
  await runtime.dispose()
  await api.kill()
  await database.drop()
}
const [small = Number.NaN, large = Number.NaN] = perRun
print(`\nOver four times as many runs one costs ${(large / small).toFixed(2)} times as much`)
await postgres.stop()
