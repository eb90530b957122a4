/**
 * `npm run bench [-- --runs N]`: how soon an accepted run begins at 50 runs a second over HTTP, and how many runs that do
 * nothing pass in a second, compared with the bare rate of pg-boss on the same database. Real processes; a Postgres that
 * keeps its data.
 */

import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { layerClient, layer as layerPostgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { AgentId, AgentRunner, makeDemo, Runs, SpendGate, SpendGuard } from "@agent-platform/runs"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { readFlags } from "../local/flags.ts"
import { makeDatabase, startApi, startApp } from "../system/harness.ts"
import { startOwnPostgres } from "../system/ownPostgres.ts"
import { bareBossRate } from "./bareBoss.ts"
import { ask, untilNone } from "./database.ts"
import { loadOf, paced, percentile } from "./measure.ts"

const { runs: RUNS } = readFlags("npm run bench", "What runs cost, from their acceptance to their end.", {
  runs: { value: "N", default: 4_000, says: "How many runs" }
})
const CALLERS = 32
const INPUT = { steps: [{ return: 1 }] }

const say = (line: string) => process.stdout.write(`${line}\n`)
const UNFINISHED = "select count(*)::int as count from agent_platform.run where status in ('queued', 'running')"

/** Milliseconds from the creation of a run to the start of its execution. */
const latencies = async (url: string): Promise<ReadonlyArray<number>> => {
  const rows = await ask<{ readonly ms: number }>(
    url,
    "select extract(epoch from started_at - created_at)::float8 * 1000 as ms from agent_platform.run where started_at is not null"
  )
  return rows.map((row) => row.ms)
}

/** Triggers runs by the use case, as the API does for a request, from this process. */
const makeTrigger = async (url: string) => {
  const ports = layerPostgres.pipe(
    Layer.provideMerge(layerCrypto),
    Layer.provideMerge(layerClient({ url: Redacted.make(url), maxConnections: 10 }))
  )
  const recipes = Layer.unwrap(Effect.map(makeDemo("full"), (demo) => AgentRunner.layer([demo])))
  const services = Runs.layer.pipe(
    Layer.provide(recipes),
    Layer.provide(Layer.merge(SpendGuard.layerUnmetered, SpendGate.layerOpen))
  )
  const runtime = ManagedRuntime.make(Layer.provide(services, Layer.provideMerge(ports, kernelMemory)))
  const [agent] = await ask<{ readonly id: string; readonly organization_id: string; readonly workspace_id: string }>(
    url,
    "select id, organization_id, workspace_id from agent_platform.agent limit 1"
  )
  if (agent === undefined) throw new Error("The database holds no agent")
  const caller = {
    organizationId: agent.organization_id,
    workspaceId: agent.workspace_id,
    actor: { type: "user", id: "bench", label: "Bench" }
  } as unknown as Parameters<Runs["Service"]["triggerRun"]>[0]["caller"]
  const command = { caller, agentId: AgentId.make(agent.id), input: INPUT }
  return {
    trigger: () => runtime.runPromise(Runs.use((runs) => Effect.orDie(runs.triggerRun(command)))),
    close: () => runtime.dispose()
  }
}

const postgres = await startOwnPostgres()
try {
  const database = await makeDatabase(postgres.url)
  const [api, worker] = [await startApi(database.url), await startApp("worker", database.url)]
  const body = { agent_id: database.credentials.agent_id, input: INPUT }
  const post = () => api.ask(database.credentials.workspace_key, "POST", "/api/v1/runs/", body)
  // Two seconds get the processes warm, and their runs are not counted.
  await paced(50, 2, post)
  await untilNone(database.url, UNFINISHED)
  await ask(database.superuserUrl, "truncate agent_platform.run, agent_platform.run_event cascade")
  await paced(50, 10, post)
  await untilNone(database.url, UNFINISHED)
  const waits = await latencies(database.url)
  say(
    `accepted -> run.started at 50 runs/s over HTTP: p50 ${percentile(waits, 0.5).toFixed(1)} ms, ` +
      `p99 ${percentile(waits, 0.99).toFixed(1)} ms (${waits.length} runs)`
  )
  await api.stop()

  // Before the runs and after them: the machine changes its speed, and the better of the two is what they are held to.
  const bare = [await bareBossRate(database.superuserUrl, RUNS, CALLERS)]
  const bench = await makeTrigger(database.url)
  await loadOf(200, CALLERS, bench.trigger)
  await untilNone(database.url, UNFINISHED)
  const begun = performance.now()
  const accepting = await loadOf(RUNS, CALLERS, bench.trigger)
  await untilNone(database.url, UNFINISHED)
  const rate = RUNS / ((performance.now() - begun) / 1000)
  await bench.close()
  await worker.stop()
  bare.push(await bareBossRate(database.superuserUrl, RUNS, CALLERS))
  const bareRate = Math.max(...bare)
  say(`pg-boss alone, send -> completed, notify and batches: ${bare.map((one) => one.toFixed(0)).join(" and ")} jobs/s`)
  say(
    `runs, trigger -> succeeded, with rows, logs and events: ${rate.toFixed(0)} runs/s ` +
      `(accepted at ${(RUNS / accepting).toFixed(0)}/s), ${(rate / bareRate).toFixed(2)} of pg-boss alone`
  )
} finally {
  await postgres.stop()
}
process.exit(0)
