/**
 * `npm run bench:processes`: what a run costs Postgres with one API and one worker, with several of each, and with as many
 * that share nothing but the machine, by turns over one server. Each has databases of its own, so that the backends of the one
 * are told from those of the other, and all of them live for as long as the measurement: none is measured cold.
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
    connections: {
      value: "N",
      default: 32,
      says: "Connections of a turn under full load: over all APIs, and then for each"
    },
    rounds: { value: "N", default: 5, says: "How many turns each has" },
    runs: { value: "N", default: 2_000, says: "Runs of a turn under full load" },
    rate: { value: "N", default: 100, says: "Runs a second of a turn at a steady rate" },
    seconds: { value: "N", default: 10, says: "How long that turn lasts, and the one in which nothing happens" },
    only: { value: "TEXT", default: "full,grown,steady,idle", says: "Which turns, with commas between them" },
    statements: { says: "Print the costliest statements of each, too" }
  }
)

const INPUT = { steps: [{ return: 1 }] }
const PATH = "/api/v1/runs/"
const UNFINISHED = `select (select count(*)::int from agent_platform.run where status in ('queued', 'running')) +
  (select count(*)::int from agent_platform.event_outbox) as count`

const say = (...cells: ReadonlyArray<string>) =>
  process.stdout.write(`${cells.map((cell, place) => cell.padEnd(place === 0 ? 44 : 18)).join("")}\n`)

const postgres = await startDatabase()

const times = <A>(count: number, make: () => Promise<A>) => Promise.all(Array.from({ length: count }, make))

/** So many APIs and workers over a database of their own. */
const startShared = async (count: number) => {
  const database = await makeDatabase(postgres.url)
  const { agent_id, workspace_key: key } = database.credentials
  const shot = { method: "POST", paths: [PATH], key, body: { agent_id, input: INPUT }, status: 202 } as const
  const settings = { WORKSPACE_RATE_LIMIT: "1000000/60" }
  const apis = await times(count, () => startApi(database.url, async () => settings))
  const workers = await times(count, () => startApp("worker", database.url))
  return {
    database: { name: new URL(database.url).pathname.slice(1), url: database.superuserUrl },
    apis: apis.map((api) => ({ ...api, shot })),
    stop: () => Promise.all([...apis, ...workers].map((app) => app.stop()))
  }
}

/** So many databases, each with so many APIs and workers. */
const start = async (databases: number, each: number) => {
  const parts = await times(databases, () => startShared(each))
  const apis = parts.flatMap((part) => part.apis)
  const count = apis.length
  let next = 0
  return {
    databases: parts.map(({ database }) => database),
    what: databases === 1 ? `${each} + ${each}` : `${databases} times ${each} + ${each}`,
    apis: count,
    /** So many connections, and `runs`, in all, shared out to the APIs. */
    full: (connections: number) => () =>
      Promise.all(
        apis.map(({ port, shot }, place) =>
          fire(
            { ...shot, port },
            {
              connections: Math.floor((connections + place) / count),
              seconds: 600,
              requestsMax: Math.floor((values.runs + place) / count)
            }
          )
        )
      ),
    steady: () =>
      paced(values.rate, values.seconds, async () => {
        const api = apis[next++ % count]
        const answer = await api?.ask(api.shot.key, "POST", PATH, api.shot.body)
        if (answer?.status !== 202) throw new Error(`A run was answered with ${answer?.status}`)
      }),
    stop: () => Promise.all(parts.map((part) => part.stop()))
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

const countersOf = async ({ name, url }: Platform["databases"][number]) => {
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

const turn = async ({ databases }: Platform, load: () => Promise<unknown>, count: number): Promise<Turn> => {
  const before = await Promise.all(databases.map(countersOf))
  const begun = Date.now() / 1000
  await load()
  await Promise.all(databases.map(({ url }) => untilNone(url, UNFINISHED)))
  const after = await Promise.all(databases.map(countersOf))
  const each = (of: (counters: Awaited<ReturnType<typeof countersOf>>) => number) =>
    after.reduce((sum, one, place) => sum + of(one) - of(before[place] ?? one), 0) / count
  const begins = await Promise.all(
    databases.map(({ url }) =>
      ask<{ readonly ms: number }>(
        url,
        `select extract(epoch from started_at - created_at)::float8 * 1000 as ms from agent_platform.run
         where created_at >= to_timestamp(${begun})`
      )
    )
  )
  return {
    millis: each(({ millis }) => millis),
    listening: each(({ listening }) => listening),
    statements: each(({ statements }) => statements),
    transactions: each(({ transactions }) => transactions),
    begins: begins.flat().map(({ ms }) => ms)
  }
}

const median = (of: ReadonlyArray<number>) => percentile(of, 0.5)
const figure = (value: number, digits = 2) => value.toFixed(digits)

const costliest = async ({ databases }: Platform, count: number) => {
  const names = databases.map(({ name }) => `'${name}'`).join(", ")
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
        from pg_stat_statements where dbid in (select oid from pg_database where datname in (${names}))
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
  // The last one tells what the machine makes of more processes from what these make of each other.
  const platforms = [await start(1, 1), await start(1, values.processes), await start(values.processes, 1)]
  const loads = [
    {
      part: "full",
      title: `${values.connections} connections`,
      load: (one: Platform) => one.full(values.connections),
      count: values.runs
    },
    {
      part: "grown",
      title: `${values.connections} for each API`,
      load: (one: Platform) => one.full(values.connections * one.apis),
      count: values.runs
    },
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
  for (const one of platforms)
    for (let round = 0; round < 3; round++) await turn(one, one.full(values.connections), values.runs)
  say("", "ms of Postgres", "to listeners", "statements", "transactions", "begins p50", "p99")
  for (const { count, load, title } of loads) {
    const turns = platforms.map((): Array<Turn> => [])
    await postgres.forget()
    for (let round = 0; round < values.rounds; round++) {
      for (const place of platforms.keys()) {
        // Each goes first in its rounds.
        const index = (place + round) % platforms.length
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
    const ratiosOf = (place: number) =>
      (turns[place] ?? []).map(({ millis }, round) => millis / (turns[0]?.[round]?.millis ?? Number.NaN))
    for (const [place, { what }] of platforms.entries()) {
      if (place === 0) continue
      const ratios = ratiosOf(place)
      say(`    times as much, ${what}`, figure(median(ratios)), ...ratios.map((ratio) => figure(ratio)))
    }
    if (values.statements) for (const platform of platforms) await costliest(platform, count * values.rounds)
  }
  await Promise.all(platforms.map((platform) => platform.stop()))
} finally {
  await postgres.stop()
}
process.exit(0)
