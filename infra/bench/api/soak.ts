/** The memory of the API and of a worker over time, under a steady load of runs that are accepted, executed and read. */
import { type startApi, startApp } from "../../system/harness.ts"
import { SECRETS_KEY } from "../delivery/tenants.ts"
import { paced } from "../measure.ts"
import { residentMegabytes } from "./memory.ts"

/** How often memory is told of, in seconds. */
const TELL_SECONDS = 10

/** Of so many requests one accepts a run, and the others read the last one. */
const READS_EACH = 4

/** Goes on for so many minutes at `rate` requests a second, and tells of the memory of both processes meanwhile. */
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
  const readings: Array<readonly [api: number, worker: number]> = []
  const begun = performance.now()
  const tell = () => {
    const reading = [residentMegabytes(api.pid()), residentMegabytes(worker.pid)] as const
    readings.push(reading)
    const seconds = Math.round((performance.now() - begun) / 1000)
    say(`${String(seconds).padStart(6)} s  API ${reading[0].toFixed(0)} MB  worker ${reading[1].toFixed(0)} MB`)
  }
  const timer = setInterval(tell, TELL_SECONDS * 1000)
  let number = 0
  let last: unknown
  await paced(rate, minutes * 60, async () => {
    if (last === undefined || number++ % (READS_EACH + 1) === 0) {
      last = (await api.ask(key, "POST", "/api/v1/runs/", body)).body.run_id
    } else await api.ask(key, "GET", `/api/v1/runs/${last}`)
  })
  clearInterval(timer)
  tell()
  const highest = (place: 0 | 1) => Math.max(...readings.map((reading) => reading[place])).toFixed(0)
  say(`highest: API ${highest(0)} MB, worker ${highest(1)} MB`)
  await worker.stop()
}
