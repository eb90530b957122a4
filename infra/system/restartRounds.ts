/** Restarts of every app under load, behind real proxies, and the account of every request, run and event. */
import { ask } from "../bench/database.ts"
import { FAULTS } from "./crashRounds.ts"
import { makeDatabase, startApi, startApp, startReceiver, until } from "./harness.ts"
import { type ProxyName, startProxy } from "./proxies.ts"
import { call, once } from "./restartCallers.ts"

/** How much is done. */
export interface RestartOptions {
  /** How often each app is restarted. */
  readonly restarts: number
  /** How many answers there are at least, over all proxies. */
  readonly requests: number
  /** How many callers each proxy has. */
  readonly callers: number
  readonly proxies: ReadonlyArray<ProxyName>
  readonly say: (line: string) => void
}

/** The final counts. There must be no faults. */
export interface RestartAccount {
  readonly restarts: number
  readonly requests: Readonly<Record<string, number>>
  /** The first of the requests that failed, each as its proxy, its way and its reason; then each job that failed or was lost, and why. */
  readonly failures: ReadonlyArray<string>
  readonly accepted: number
  readonly deliveries: number
  readonly jobs: number
  readonly faults: Readonly<Record<string, number>>
}

/** The value that docs/operations.md has beside the configurations of the proxies. */
const API_DRAIN_SECONDS = 10

/** Failures that are printed after each restart. Many that fail together fail alike. */
const SHOWN_MAX = 5

/** WORKER_DRAIN_SECONDS of the two workers: one lets its runs end, the other hands them back at once. */
const WORKER_DRAINS = [15, 0]

/** Faults that restarts must not make, beside those of kills. A run that a draining worker hands back does not lose that attempt. */
const FAULTS_OF_RESTARTS: Readonly<Record<string, string>> = {
  "runs that lost an attempt": "select count(*)::int as count from agent_platform.run where attempt - hand_backs <> 1",
  "runs that ended otherwise than they should":
    "select count(*)::int as count from agent_platform.run where status <> 'succeeded'",
  "deliveries that took more than one attempt":
    "select count(*)::int as count from agent_platform.webhook_delivery where attempt_count <> 1 or state <> 'delivered'",
  "jobs by the clock that went wrong":
    "select count(*)::int as count from agent_platform.job_run where status in ('failed', 'lost')"
}

/** Each job that failed or was lost, in words: when, by which process, how far it had come, and why. */
const WRONG_JOBS = `
  select concat_ws(' ', name, status, 'by', holder, 'from', started_at::time(0), 'to', finished_at::time(0),
    'after', items_done, 'items:', error) as said
  from agent_platform.job_run where status in ('failed', 'lost') order by number
`

/** A whole deployment over a database of its own: two APIs, two workers and a scheduler, behind the proxies. */
const startPlatform = async (postgresUrl: string, proxies: ReadonlyArray<ProxyName>) => {
  const closing: Array<() => Promise<unknown>> = []
  const close = async () => {
    for (const one of closing.reverse()) await one()
  }
  try {
    const database = await makeDatabase(postgresUrl)
    closing.push(database.drop)
    const receiver = await startReceiver()
    closing.push(receiver.stop)
    const environment = async () => ({ API_DRAIN_SECONDS: String(API_DRAIN_SECONDS) })
    const apis = [await startApi(database.url, environment), await startApi(database.url, environment)] as const
    closing.push(() => Promise.all(apis.map((api) => api.kill())))
    const startWorker = (place: number) =>
      startApp("worker", database.url, { WORKER_DRAIN_SECONDS: String(WORKER_DRAINS[place]) })
    const workers = [await startWorker(0), await startWorker(1)]
    closing.push(() => Promise.all(workers.map((worker) => worker.kill())))
    const startScheduler = () => startApp("admin", database.url)
    let scheduler = await startScheduler()
    closing.push(() => scheduler.kill())
    const fronts = new Map<ProxyName, number>()
    for (const name of proxies) {
      const proxy = await startProxy(name, [apis[0].port, apis[1].port])
      closing.push(proxy.stop)
      fronts.set(name, proxy.port)
    }
    const stop = async (what: string, app: { readonly stop: () => Promise<number | null> }) => {
      const code = await app.stop()
      if (code !== 0) throw new Error(`The ${what} ended with ${code} when it was asked to stop`)
    }
    return {
      database,
      receiver,
      fronts,
      close,
      /** Restarts one of each, beside each other, and returns when all are there again. */
      restart: async (round: number) => {
        const place = round % 2
        await Promise.all([
          (async () => {
            const api = apis[place]!
            await stop("API", api)
            await api.restart()
            await until(
              "/readyz answers 200",
              async () => (await api.ask("", "GET", "/readyz")).status === 200 || undefined
            )
          })(),
          (async () => {
            await stop("worker", workers[place]!)
            workers[place] = await startWorker(place)
          })(),
          (async () => {
            await stop("scheduler", scheduler)
            scheduler = await startScheduler()
          })()
        ])
      }
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Platform = Awaited<ReturnType<typeof startPlatform>>

/** Counts faults once everything has settled: the platform's own answers are not trusted. */
const account = async ({ database, receiver }: Platform, accepted: ReadonlySet<string>) => {
  const count = async (statement: string) =>
    (await ask<{ readonly count: number }>(database.url, statement))[0]?.count ?? -1
  const none = async (statement: string) => (await count(statement)) === 0 || undefined
  await until("every run has ended", () => none(FAULTS["runs that never ended"]!), 90)
  const arrived = () => receiver.received.map(({ headers }) => String(headers["x-service-event-id"]))
  const events = await ask<{ readonly id: string }>(database.url, "select id::text as id from agent_platform.event")
  const missing = () => {
    const ids = new Set(arrived())
    return events.filter(({ id }) => !ids.has(id)).length
  }
  await until("every event has arrived", () => missing() === 0 || undefined, 90).catch(() => undefined)
  await until(
    "every delivery is written",
    () => none("select count(*)::int as count from agent_platform.event_outbox"),
    90
  )
  const faults: Record<string, number> = {}
  for (const [fault, statement] of Object.entries({ ...FAULTS, ...FAULTS_OF_RESTARTS }))
    faults[fault] = await count(statement)
  const known = await ask<{ readonly id: string }>(database.url, "select id::text as id from agent_platform.run")
  const ids = new Set(known.map(({ id }) => id))
  faults["accepted runs that are not there"] = [...accepted].filter((id) => !ids.has(id)).length
  faults["runs that were not answered"] = known.filter(({ id }) => !accepted.has(id)).length
  faults["events that never arrived"] = missing()
  faults["events that arrived twice"] = arrived().length - new Set(arrived()).size
  const jobs = await count("select count(*)::int as count from agent_platform.job_run where status = 'succeeded'")
  const wrong = await ask<{ readonly said: string }>(database.url, WRONG_JOBS)
  return { deliveries: receiver.received.length, jobs, faults, wrong: wrong.map(({ said }) => said) }
}

/**
 * Restarts an API, a worker and the scheduler at once, in turn with their spares, while callers ask through the proxies. A request
 * that is not answered as it should be is a fault: nothing is asked twice.
 */
export const restartRounds = async (postgresUrl: string, options: RestartOptions): Promise<RestartAccount> => {
  const platform = await startPlatform(postgresUrl, options.proxies)
  try {
    const { org_key } = platform.database.credentials
    const [port] = platform.fronts.values()
    if (port === undefined) throw new Error("No proxy is given")
    const body = { url: platform.receiver.url }
    await once({ port, agent: false, method: "POST", path: "/api/v1/org/webhooks", key: org_key, body })
    let over = false
    const load = call(platform.database.credentials, platform.fronts, options.callers, () => over)
    try {
      let shown = 0
      for (let round = 0; round < options.restarts; round++) {
        await platform.restart(round)
        options.say(`${round + 1} restarts, ${load.answered()} requests, ${load.failures.length} failed`)
        for (const failure of load.failures.slice(shown, shown + SHOWN_MAX)) options.say(`  ${failure}`)
        shown = load.failures.length
      }
      await until("enough is asked", () => load.answered() >= options.requests || undefined, 600)
    } finally {
      over = true
      await load.done
    }
    const { deliveries, faults, jobs, wrong } = await account(platform, load.accepted)
    return {
      restarts: options.restarts,
      requests: load.requests,
      failures: [...load.failures.slice(0, 20), ...wrong],
      accepted: load.accepted.size,
      deliveries,
      jobs,
      faults: { "requests that failed": load.failures.length, ...faults }
    }
  } finally {
    await platform.close()
  }
}
