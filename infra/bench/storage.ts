/**
 * `npm run bench:storage`: the bytes that a run leaves behind, by table and index, as they grow under load: before its log is compressed,
 * and afterwards. A first part of the runs is not counted, since tables grow by whole pages. They are vacuumed in between, as autovacuum
 * does with larger ones, so that room that comes free is used again.
 */
import { layerClient, layer as layerPostgres, TIMEOUTS } from "@agent-platform/postgres"
import { compressLogs } from "@agent-platform/runs"
import { Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { readFlags } from "../local/flags.ts"
import { type CapacityTenant, startDeployment } from "./capacity/deployment.ts"
import { differencesOf, type Part, sizesOf } from "./storage/sizes.ts"

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

/** The runs come in so many portions, with a vacuum after each: autovacuum waits until a fifth of a table has changed. */
const PORTIONS = 5
const POOL = 10

const say = (line: string) => process.stdout.write(`${line}\n`)

const bytesOfRun = (parts: ReadonlyArray<Part>) => Math.round(parts.reduce((sum, { bytes }) => sum + bytes, 0) / runs)

/** Compresses the logs of all runs that have ended, and answers how many. */
const compressAll = async (url: string): Promise<number> => {
  const runtime = ManagedRuntime.make(
    layerPostgres.pipe(
      Layer.provideMerge(layerClient({ url: Redacted.make(url), maxConnections: 2, timeouts: TIMEOUTS.jobs })),
      Layer.provide(Logger.layer([]))
    )
  )
  const begun = performance.now()
  const logs = await runtime.runPromise(
    compressLogs({ afterSeconds: 0, after: undefined, onPortion: () => Effect.void })
  )
  say(`Compressed ${logs} logs, ${Math.round(((performance.now() - begun) * 1_000) / logs)} µs each`)
  await runtime.dispose()
  return logs
}

const deployment = await startDeployment(1, 1, POOL)
try {
  const made: Array<CapacityTenant> = []
  for (let number = 0; number < tenants; number++) made.push(await deployment.makeTenant(`Tenant ${number}`))
  const steps = [...Array.from({ length: events }, () => ({ say: "Some words of an answer. " })), { return: 1 }]
  const drive = (count: number) => deployment.drive(made, { runs: count, connections: CONNECTIONS, steps })
  const vacuum = () => deployment.query("vacuum")
  await drive(Math.ceil(runs / 3))
  await vacuum()
  const before = await sizesOf(deployment.query)
  for (let portion = 0; portion < PORTIONS; portion++) {
    await drive(Math.ceil(runs / PORTIONS))
    await vacuum()
  }
  const grown = differencesOf(before, await sizesOf(deployment.query))
  const compressed = await compressAll(deployment.url)
  const parts = differencesOf(before, await sizesOf(deployment.query))
  // The room of a compressed log's entries is used again by the next logs, so only the compressed ones count. They are of all runs,
  // those of the first part too, and are scaled down to the runs that are measured.
  const isKept = ({ table }: Part) => table !== "run_event"
  const kept = parts.flatMap((part) =>
    part.table === "compressed_log" ? { ...part, bytes: (part.bytes * runs) / compressed } : isKept(part) ? part : []
  )
  say(`${runs} runs, of ${tenants} organizations, with ${events + 4} log entries each:`)
  say(`${bytesOfRun(grown)} B a run while its log is as it was written, ${bytesOfRun(kept)} B once it is compressed`)
  say("\n| Table | Index | Bytes a run |\n| --- | --- | --- |")
  const ofLogs = grown.filter((part) => !isKept(part))
  for (const { bytes, index, table } of [...kept, ...ofLogs].filter((part) => part.bytes >= runs)) {
    say(`| ${table}${table === "run_event" ? ", until then" : ""} | ${index ?? ""} | ${Math.round(bytes / runs)} |`)
  }
} finally {
  await deployment.stop()
}
process.exit(0)
