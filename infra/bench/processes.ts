/**
 * `npm run bench:processes`: what a run costs Postgres with one API and one worker, and with several of each, by turns over one
 * server. Each number of processes has a database of its own, so that the backends of the one are told from those of the
 * other, and all of them live for as long as the measurement: none is measured cold.
 */
import { SqlClient } from "effect/sql"
import { readFlags } from "../local/flags.ts"
import { makeDatabase, startApi, startApp } from "../system/harness.ts"
import { fire } from "./api/load.ts"
import { ask, untilNone } from "./database.ts"
import { startDatabase } from "./delivery/database.ts"
import { backendSeconds } from "./delivery/processes.ts"
import { paced, percentile } from "./measure.ts"

const values = readFlags(
  "npm run bench:processes",
  "What a run costs Postgres with one API and one worker, and with several.",
  {
    processes: { value: "N", default: 3, says: "How many of each the several are" },
    rounds: { value: "N", default: 5, says: "How many turns each has" },
    runs: { value: "N", default: 2_000, says: "Runs of a turn under full load" },
    rate: { value: "N", default: 100, says: "Runs a second of a turn at a steady rate" },
    seconds: { value: "N", default: 10, says: "How long that turn lasts, and the one in which nothing happens" },
    only: { value: "TEXT", default: "full,steady,idle", says: "Which turns, with commas between them" },
    statements: { says: "Print the costliest statements of each, too" }
  }
)

const CONNECTIONS = 32
const INPUT = { steps: [{ return: 1 }] }
const PATH = "/api/v1/runs/"
const UNFINISHED = `select (select count(*)::int from agent_platform.run where status in ('queued', 'running')) +
  (select count(*)::int from agent_platform.event_outbox) as count`

const say = (...cells: ReadonlyArray<string>) =>
  process.stdout.write(`${cells.map((cell, place) => cell.padEnd(place === 0 ? 44 : 18)).join("")}\n`)

const postgres = await startDatabase()

/** So many APIs and workers over a database of their own. */
const start = async (count: number) => {
  const database = await makeDatabase(postgres.url)
  const name = new URL(database.url).pathname.slice(1)
  const settings = { WORKSPACE_RATE_LIMIT: "1000000/60" }
  const apis = await Promise.all(Array.from({ length: count }, () => startApi(database.url, async () => settings)))
  const workers = await Promise.all(Array.from({ length: count }, () => startApp("worker", database.url)))
  const { agent_id, workspace_key: key } = database.credentials
  const shot = { method: "POST", paths: [PATH], key, body: { agent_id, input: INPUT }, status: 202 } as const
  let next = 0
  return {
    name,
    url: database.superuserUrl,
    what: `${count} + ${count}`,
    /** `CONNECTIONS` and `runs` in all, shared out to the APIs. */
    full: () =>
      Promise.all(
        apis.map(({ port }, place) =>
          fire(
            { ...shot, port },
            {
              connections: Math.floor((CONNECTIONS + place) / count),
              seconds: 600,
              requestsMax: Math.floor((values.runs + place) / count)
            }
          )
        )
      ),
    steady: () =>
      paced(values.rate, values.seconds, async () => {
        const api = apis[next++ % count]
        const answer = await api?.ask(key, "POST", PATH, shot.body)
        if (answer?.status !== 202) throw new Error(`A run was answered with ${answer?.status}`)
      }),
    stop: async () => {
      await Promise.all([...apis, ...workers].map((app) => app.stop()))
    }
  }
}

type Platform = Awaited<ReturnType<typeof start>>

/** The costs of one turn. */
interface Turn {
  /** Processor time of Postgres, in milliseconds for each run. */
  readonly millis: number
  /** The part of it that the connections take which listen for signals. */
  readonly listening: number
  readonly statements: number
  readonly transactions: number
  /** Milliseconds from the acceptance of each run to its start. */
  readonly begins: ReadonlyArray<number>
}

const countersOf = async ({ name, url }: Platform) => {
  const listeners = await ask<{ readonly pid: number }>(
    url,
    `select pid from pg_stat_activity where datname = '${name}' and query ilike 'listen %'`
  )
  const [row] = await postgres.run(
    SqlClient.SqlClient.use((sql) =>
      sql.unsafe<{ readonly statements: number; readonly transactions: number }>(`
        select coalesce(sum(calls), 0)::float8 as statements,
          coalesce(sum(calls) filter (where query ilike 'commit%'), 0)::float8 as transactions
        from pg_stat_statements where dbid = (select oid from pg_database where datname = '${name}')
      `)
    )
  )
  return {
    millis: backendSeconds(postgres.pid(), name) * 1000,
    listening: backendSeconds(postgres.pid(), name, new Set(listeners.map(({ pid }) => pid))) * 1000,
    statements: row?.statements ?? 0,
    transactions: row?.transactions ?? 0
  }
}

const turn = async (platform: Platform, load: () => Promise<unknown>, count: number): Promise<Turn> => {
  const before = await countersOf(platform)
  const [{ at } = { at: 0 }] = await ask<{ readonly at: number }>(
    platform.url,
    "select extract(epoch from clock_timestamp())::float8 as at"
  )
  await load()
  await untilNone(platform.url, UNFINISHED)
  const after = await countersOf(platform)
  const begins = await ask<{ readonly ms: number }>(
    platform.url,
    `select extract(epoch from started_at - created_at)::float8 * 1000 as ms from agent_platform.run
     where created_at >= to_timestamp(${at})`
  )
  return {
    millis: (after.millis - before.millis) / count,
    listening: (after.listening - before.listening) / count,
    statements: (after.statements - before.statements) / count,
    transactions: (after.transactions - before.transactions) / count,
    begins: begins.map(({ ms }) => ms)
  }
}

const median = (of: ReadonlyArray<number>) => percentile(of, 0.5)
const figure = (value: number, digits = 2) => value.toFixed(digits)

const costliest = async ({ name }: Platform, count: number) => {
  const rows = await postgres.run(
    SqlClient.SqlClient.use((sql) =>
      sql.unsafe<{
        readonly calls: number
        readonly millis: number
        readonly plans: number
        readonly planned: number
        readonly rows: number
        readonly text: string
      }>(`
        select calls::float8, total_exec_time as millis, plans::float8, total_plan_time as planned, rows::float8, left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as text
        from pg_stat_statements where dbid = (select oid from pg_database where datname = '${name}')
        order by total_exec_time + total_plan_time desc limit 20
      `)
    )
  )
  for (const row of rows) {
    say(`  ${row.text}`, "")
    say(
      "",
      `${figure(row.calls / count, 3)} calls`,
      `${figure((row.millis / count) * 1000, 0)} µs a run`,
      `${figure((row.millis / row.calls) * 1000, 0)} µs a call`,
      `${figure((row.planned / count) * 1000, 0)} µs for ${row.plans} plans`,
      `${figure(row.rows / row.calls, 1)} rows`
    )
  }
}

try {
  const platforms = [await start(1), await start(values.processes)]
  const loads = [
    { part: "full", title: `${CONNECTIONS} connections`, load: (one: Platform) => one.full, count: values.runs },
    {
      part: "steady",
      title: `${values.rate} runs/s`,
      load: (one: Platform) => one.steady,
      count: values.rate * values.seconds
    },
    {
      part: "idle",
      title: "nothing to do, a second",
      load: () => () => new Promise((resolve) => setTimeout(resolve, values.seconds * 1000)),
      count: values.seconds
    }
  ].filter(({ part }) => values.only.split(",").includes(part))
  // Warm-up, not counted: Node compiles a path after it was taken some thousand times.
  for (const one of platforms) for (let times = 0; times < 3; times++) await turn(one, one.full, values.runs)
  say("", "ms of Postgres", "to listeners", "statements", "transactions", "begins p50", "p99")
  for (const { count, load, title } of loads) {
    const turns = platforms.map((): Array<Turn> => [])
    await postgres.forget()
    for (let round = 0; round < values.rounds; round++) {
      for (const place of [0, 1]) {
        // Each goes first in every other round.
        const index = (place + round) % 2
        const platform = platforms[index] as Platform
        turns[index]?.push(await turn(platform, load(platform), count))
      }
    }
    for (const [place, platform] of platforms.entries()) {
      const of = turns[place] ?? []
      const begins = of.flatMap((one) => one.begins)
      say(
        `${title}, ${platform.what}`,
        figure(median(of.map(({ millis }) => millis)), 3),
        figure(median(of.map(({ listening }) => listening)), 3),
        figure(median(of.map(({ statements }) => statements))),
        figure(median(of.map(({ transactions }) => transactions)), 3),
        `${figure(percentile(begins, 0.5), 1)} ms`,
        `${figure(percentile(begins, 0.99), 1)} ms`
      )
    }
    const ratios = (turns[1] ?? []).map(({ millis }, round) => millis / (turns[0]?.[round]?.millis ?? Number.NaN))
    say("    times as much", figure(median(ratios)), ...ratios.map((ratio) => figure(ratio)))
    if (values.statements) for (const platform of platforms) await costliest(platform, count * values.rounds)
  }
  await Promise.all(platforms.map((platform) => platform.stop()))
} finally {
  await postgres.stop()
}
process.exit(0)
