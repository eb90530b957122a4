/** The memory of the API and of a worker over time, under a steady load of runs that are accepted, executed and read. */
import { type startApi, startApp } from "../../system/harness.ts"
import { SECRETS_KEY } from "../delivery/tenants.ts"
import { paced } from "../measure.ts"
import { residentMegabytes } from "./memory.ts"

/** How often memory is read, and how often it is reported. */
const LOOK_SECONDS = 1
const REPORT_SECONDS = 60

/** For each request that triggers a run, so many read the last run. */
const READS_EACH = 4

/** A request that takes longer has failed. */
const REQUEST_MILLIS_MAX = 30_000

/** A request that is due while so many are under way is left out, and counted as failed. */
const UNDER_WAY_MAX = 128

const lowest = (values: ReadonlyArray<number>) => Math.min(...values).toFixed(0)
const highest = (values: ReadonlyArray<number>) => Math.max(...values).toFixed(0)
const mean = (values: ReadonlyArray<number>) =>
  (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(0)

/**
 * Goes on for so many minutes at `rate` requests a second, and reports the memory of both processes meanwhile: the least
 * and the most of each minute. Requests that fail are counted by their reason and not repeated.
 */
export const soak = async (options: {
  readonly url: string
  readonly api: Awaited<ReturnType<typeof startApi>>
  readonly key: string
  readonly body: unknown
  readonly minutes: number
  readonly rate: number
  readonly say: (line: string) => void
}): Promise<void> => {
  const { api, body, key, minutes, rate, say } = options
  const worker = await startApp("worker", options.url, { SECRETS_KEY })
  const pids = { API: api.pid(), worker: worker.pid }
  const readings: Record<keyof typeof pids, Array<number>> = { API: [], worker: [] }
  const names = ["API", "worker"] as const
  const failures: Record<string, number> = {}
  let answered = 0

  const begun = performance.now()
  const report = () => {
    const minute = Math.round((performance.now() - begun) / 60_000)
    const memory = names.map((name) => {
      const latest = readings[name].slice(-REPORT_SECONDS / LOOK_SECONDS)
      return `${name} ${lowest(latest)} to ${highest(latest)} MB`
    })
    say(`${String(minute).padStart(4)} min  ${memory.join("  ")}  ${answered} answered  ${JSON.stringify(failures)}`)
  }
  const looking = setInterval(() => {
    for (const name of names) readings[name].push(residentMegabytes(pids[name]))
    if (readings.API.length % (REPORT_SECONDS / LOOK_SECONDS) === 0) report()
  }, LOOK_SECONDS * 1000)

  const headers = { "x-api-key": key, "content-type": "application/json" }
  const ask = async (method: "GET" | "POST", path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/runs/${path}`, {
      method,
      headers,
      body: method === "POST" ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(REQUEST_MILLIS_MAX)
    })
    const answer = (await response.json()) as Record<string, unknown>
    if (!response.ok) throw new Error(`status ${response.status}`)
    answered++
    return answer
  }
  const fail = (reason: string) => {
    failures[reason] = (failures[reason] ?? 0) + 1
  }
  let number = 0
  let underWay = 0
  let last: unknown
  await paced(rate, minutes * 60, async () => {
    if (underWay >= UNDER_WAY_MAX) return fail("left out")
    underWay++
    try {
      if (last === undefined || number++ % (READS_EACH + 1) === 0) last = (await ask("POST", "")).run_id
      else await ask("GET", String(last))
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error))
    } finally {
      underWay--
    }
  })
  clearInterval(looking)
  for (const name of names) {
    const quarter = Math.ceil(readings[name].length / 4)
    const quarters = [0, 1, 2, 3].map((place) => mean(readings[name].slice(place * quarter, (place + 1) * quarter)))
    say(`${name}: at most ${highest(readings[name])} MB; mean of each quarter ${quarters.join(", ")} MB`)
  }
  await worker.stop()
}
