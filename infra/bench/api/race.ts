/** Servers that take turns at the same request. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { SqlClient } from "effect/sql"
import type { BenchDatabase } from "../delivery/database.ts"
import { processorSeconds } from "../delivery/processes.ts"
import { percentile } from "../measure.ts"
import { fire, type Shot } from "./load.ts"
import { residentMegabytes } from "./memory.ts"

/** A server that is measured. */
export interface Contender {
  readonly name: string
  readonly port: number
  readonly pid: number
  readonly stop: () => void
}

/** A request that is measured. `fills` says that every one of them leaves rows. */
export interface Target {
  readonly title: string
  readonly shot: Omit<Shot, "port">
  readonly fills?: boolean
}

/** Each contender is measured in so many turns, so that what else the machine does falls on all of them. */
const TURNS = 3
/** Code is compiled as it gets hot, and the larger a server is the longer that takes. */
const WARM_UP_SECONDS = 20

/** Requests of a turn that writes. More would nearly fill the workspace's queue, and then runs are accepted one by one. */
const REQUESTS_MAX = 7_500

/** Empties the tables, so that every turn that writes begins alike. */
const EMPTY = `truncate ${["run_event", "run", "session", "activity"].map((name) => `agent_platform.${name}`).join(", ")}, bench_job cascade`

/** Starts a server of this kind and waits until it listens. */
export const startHandwritten = async (kind: "fastify" | "node", databaseUrl: string): Promise<Contender> => {
  const child = fork(fileURLToPath(new URL("./server.ts", import.meta.url)), [kind, databaseUrl])
  const { port } = await new Promise<{ readonly port: number }>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`The ${kind} server ended before it listened`)))
    child.once("message", (message) => resolve(message as { readonly port: number }))
  })
  return { name: `${kind} + pg by hand`, port, pid: child.pid ?? 0, stop: () => child.kill() }
}

interface Result {
  readonly contender: Contender
  readonly latencies: Array<number>
  seconds: number
  /** Seconds of processor time of the contender, and of Postgres for it. */
  processor: number
  postgres: number
  statements: number
}

const query = (database: BenchDatabase, text: string) =>
  database.run(SqlClient.SqlClient.use((sql) => sql.unsafe(text)))

const turn = async (
  database: BenchDatabase,
  { fills = false, shot }: Target,
  result: Result,
  span: { readonly connections: number; readonly seconds: number }
) => {
  const { pid, port } = result.contender
  if (fills) {
    await query(database, EMPTY)
    await query(database, "checkpoint")
  }
  const [before, processor] = [await database.effort(), processorSeconds(pid)]
  const begun = performance.now()
  const requestsMax = fills ? REQUESTS_MAX : Number.POSITIVE_INFINITY
  // Not `push(...latencies)`: there can be more of them than a call takes arguments.
  for (const latency of await fire({ ...shot, port }, { ...span, requestsMax })) result.latencies.push(latency)
  result.seconds += (performance.now() - begun) / 1000
  result.processor += processorSeconds(pid) - processor
  const after = await database.effort()
  result.postgres += after.processorSeconds - before.processorSeconds
  result.statements += after.statements - before.statements
}

const micros = (seconds: number, count: number) => `${((seconds * 1_000_000) / count).toFixed(0)} µs`

/** Measures a request at every contender, by turns; answers the lines of a table. The first contender is compared to the others. */
export const measure = async (
  database: BenchDatabase,
  target: Target,
  contenders: ReadonlyArray<Contender>,
  { connections, seconds }: { readonly connections: number; readonly seconds: number }
): Promise<ReadonlyArray<string>> => {
  const results = contenders.map(
    (contender): Result => ({ contender, latencies: [], seconds: 0, processor: 0, postgres: 0, statements: 0 })
  )
  const warmUp = results.map((result) => ({ ...result, latencies: [] }))
  for (const result of warmUp) {
    while (result.seconds < WARM_UP_SECONDS) {
      await turn(database, target, result, { connections, seconds: WARM_UP_SECONDS - result.seconds })
    }
  }
  for (let number = 0; number < TURNS; number++) {
    for (const result of results) await turn(database, target, result, { connections, seconds: seconds / TURNS })
  }
  const rate = (result: Result) => result.latencies.length / result.seconds
  const [ours] = results
  const lines = results.map((result) => {
    const count = result.latencies.length
    return [
      result.contender.name,
      Math.round(rate(result)),
      percentile(result.latencies, 0.5).toFixed(2),
      percentile(result.latencies, 0.99).toFixed(2),
      micros(result.processor, count),
      micros(result.postgres, count),
      (result.statements / count).toFixed(2),
      `${residentMegabytes(result.contender.pid).toFixed(0)} MB`,
      ours === undefined ? "" : (rate(ours) / rate(result)).toFixed(2)
    ]
  })
  const head = ["server", "requests/s", "p50 ms", "p99 ms", "CPU", "CPU of Postgres", "statements", "memory", "ours is"]
  return [
    `${target.title}, ${connections} connections`,
    ...[head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`)
  ]
}
