/**
 * The cost of authentication: one real API process over an embedded Postgres, asked with a good key and with one that is
 * refused by its checksum. `npm run bench:auth [-- SECONDS]`: how long each measurement takes, 6 by default.
 */
import { readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { cpus, loadavg, totalmem } from "node:os"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { startTestPostgres } from "../local/testDatabase.ts"
import { makeDatabase, startApi } from "../system/harness.ts"
import { startCountingProxy } from "./countingProxy.ts"
import { percentile } from "./measure.ts"

const SECONDS_DEFAULT = 6
/** Every measurement is taken in turns with the others, so that what else the machine does falls on all of them. */
const TURNS = 3
const CONNECTIONS = [1, 32]
const COUNTED_REQUESTS = 500

type Api = Awaited<ReturnType<typeof startApi>>

interface Variant {
  readonly name: string
  readonly path: string
  readonly key: string
  readonly status: number
}

const print = (line = "") => process.stdout.write(`${line}\n`)

const get = (port: number, agent: Agent, { key, path, status }: Variant) =>
  new Promise<number>((resolve, reject) => {
    const begunAt = performance.now()
    const options = { host: "127.0.0.1", port, path, agent, headers: { "x-api-key": key } }
    const sent = request(options, (response) => {
      response.on("end", () => {
        if (response.statusCode === status) resolve(performance.now() - begunAt)
        else reject(new Error(`${path} answered ${response.statusCode} and not ${status}`))
      })
      response.resume()
    })
    sent.on("error", reject)
    sent.end()
  })

/** Asks over so many connections, one request after another on each, while `goesOn`; answers how long each took, in ms. */
const ask = async (port: number, variant: Variant, connections: number, goesOn: (asked: number) => boolean) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const latencies: Array<number> = []
  let asked = 0
  const caller = async () => {
    while (goesOn(asked++)) latencies.push(await get(port, agent, variant))
  }
  await Promise.all(Array.from({ length: connections }, caller))
  agent.destroy()
  return latencies
}

const forSeconds = (seconds: number) => {
  const end = performance.now() + seconds * 1_000
  return () => performance.now() < end
}

/** The clock ticks of a second, in which Linux counts the time that a process has used. */
const TICKS = 100

/** Seconds of processor time that a process has used; NaN where the system does not say. */
const cpuSeconds = (pid: number): number => {
  try {
    // Behind the name in brackets, the fields 11 and 12 are user time and system time.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return Number.NaN
  }
}

/** Rates, latencies and the API's own work of every variant at every number of connections. */
const measure = async (api: Api, variants: ReadonlyArray<Variant>, seconds: number) => {
  const { port } = api
  print("| Request | Connections | Requests/s | p50 ms | p99 ms | Processor time of the API, ms |")
  print("| --- | --- | --- | --- | --- | --- |")
  for (const connections of CONNECTIONS) {
    const results = variants.map((variant) => ({ variant, latencies: [] as Array<number>, cpu: 0 }))
    for (const { variant } of results) await ask(port, variant, connections, forSeconds(1))
    for (let turn = 0; turn < TURNS; turn++) {
      for (const result of results) {
        const before = cpuSeconds(api.pid())
        result.latencies.push(...(await ask(port, result.variant, connections, forSeconds(seconds / TURNS))))
        result.cpu += cpuSeconds(api.pid()) - before
      }
    }
    for (const { cpu, latencies, variant } of results) {
      const cells = [
        variant.name,
        connections,
        Math.round(latencies.length / seconds).toLocaleString("en"),
        percentile(latencies, 0.5).toFixed(2),
        percentile(latencies, 0.99).toFixed(2),
        ((cpu * 1_000) / latencies.length).toFixed(2)
      ]
      print(`| ${cells.join(" | ")} |`)
    }
  }
}

/** How many statements a request of each variant costs, counted on their way from another API process to Postgres. */
const countStatements = async (databaseUrl: string, variants: ReadonlyArray<Variant>) => {
  const proxy = await startCountingProxy(databaseUrl)
  const api = await startApi(proxy.url)
  print("| Request | Statements |")
  print("| --- | --- |")
  for (const variant of variants) {
    await ask(api.port, variant, 1, (asked) => asked < 20)
    const before = proxy.statements()
    await ask(api.port, variant, 1, (asked) => asked < COUNTED_REQUESTS)
    print(`| ${variant.name} | ${((proxy.statements() - before) / COUNTED_REQUESTS).toFixed(2)} |`)
  }
  await api.stop()
  await proxy.stop()
}

const versionOf = (url: string) =>
  Effect.runPromise(
    PgClient.makeClient({ url: Redacted.make(url) }).pipe(
      Effect.flatMap((sql) => sql<{ readonly version: string }>`select current_setting('server_version') as version`),
      Effect.map(([row]) => row?.version ?? "unknown"),
      Effect.scoped,
      Effect.provide(Reactivity.layer)
    )
  )

const seconds = Number(process.argv[2] ?? SECONDS_DEFAULT)
const postgres = await startTestPostgres()
const database = await makeDatabase(postgres.url)
const api = await startApi(database.url)
try {
  const { workspace_key } = database.credentials
  const limited = await api.ask(workspace_key, "POST", "/api/v1/auth/api-keys", {
    name: "Limited",
    rate_limit: { limit: 1_000_000, window_seconds: 1 }
  })
  const me = "/api/v1/auth/me"
  const wrong = `${workspace_key.slice(0, -1)}${workspace_key.endsWith("0") ? "1" : "0"}`
  const variants: ReadonlyArray<Variant> = [
    { name: "refused by the checksum", path: me, key: wrong, status: 401 },
    { name: "authenticated, then refused for its query", path: `${me}?x=1`, key: workspace_key, status: 422 },
    { name: "the same with a rate limit", path: `${me}?x=1`, key: String(limited.body.key), status: 422 },
    { name: "authenticated, `GET auth/me`", path: me, key: workspace_key, status: 200 }
  ]
  const [cpu] = cpus()
  print(`${cpus().length} × ${cpu?.model.trim() || "unknown CPU"}, ${Math.round(totalmem() / 2 ** 30)} GiB`)
  print(`Node ${process.version}, Postgres ${await versionOf(database.url)} on the same machine, without fsync`)
  print(`Load before: ${loadavg()[0]?.toFixed(1)}. ${seconds} s for each line; the caller shares the machine`)
  print()
  await measure(api, variants, seconds)
  print()
  await countStatements(database.url, variants)
} finally {
  await api.stop()
  await database.drop()
  await postgres.stop()
}
