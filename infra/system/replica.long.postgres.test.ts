/** Readings over a streaming standby: which go there, and what callers notice when it is behind, silent, cancelled or gone. */
import { Effect, Metric, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import pg from "pg"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { runAdminIn } from "../../apps/admin/test/program.ts"
import { layerClient } from "../../packages/postgres/src/index.ts"
import { makeReplica } from "../../packages/postgres/src/replica/Replica.ts"
import { freePort } from "../local/postgres/freePort.ts"
import { makeDatabase, SECRETS_KEY, startApi, until } from "./harness.ts"
import { startPrimaryAndStandby } from "./primaryAndStandby.ts"

/** Conflicts with recovery come at once, and by themselves none: nothing is vacuumed. */
const SETTINGS = `
shared_preload_libraries = 'pg_stat_statements'
max_standby_streaming_delay = '100ms'
autovacuum = off
`

const READINGS = ["usage", "hourly", "billing"].map((name) => `/api/v1/analytics/${name}`)

describe("a streaming replica", () => {
  let servers: Awaited<ReturnType<typeof startPrimaryAndStandby>>
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let api: Awaited<ReturnType<typeof startApi>>
  let metricsPort: number
  let replicaUrl: string
  const closing: Array<() => Promise<unknown>> = []

  const on = async (host: string, text: string, name = "postgres") => {
    const url = new URL(servers.urlsOn(host, "").url)
    url.pathname = `/${name}`
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  const onPrimary = (text: string) => on(servers.primary, text)
  const onStandby = (text: string) => on(servers.standby, text)

  const ask = async (path: string) => {
    const { body, status } = await api.ask(database.credentials.workspace_key, "GET", path)
    assert.strictEqual(status, 200, `${path}: ${JSON.stringify(body)}`)
    return body
  }

  interface Entry {
    readonly id: string
    readonly summary: string
  }

  const pageOf = async (cursor: unknown, limit = 3) => {
    const after = cursor === undefined ? "" : `&cursor=${cursor}`
    const body = await ask(`/api/v1/activity?limit=${limit}${after}`)
    return { ids: (body["items"] as ReadonlyArray<Entry>).map(({ id }) => id), next: body["next_cursor"] }
  }

  const name = async (agent: string) => {
    const made = await api.ask(database.credentials.workspace_key, "POST", "/api/v1/agents", { name: agent })
    assert.strictEqual(made.status, 201, JSON.stringify(made.body))
  }

  /** The value of a series of the API, 0 where there is none. */
  const metric = async (series: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    const line = text.split("\n").find((one) => one.startsWith(`${series} `))
    return line === undefined ? 0 : Number(line.slice(series.length + 1))
  }
  const outcomes = (outcome: string) => metric(`agent_platform_replica_reads_total{outcome="${outcome}"}`)
  const lag = () => metric("agent_platform_replica_lag_seconds")

  /** How often the statements of readings and of pages of activity ran on a server. */
  const statementsOn = async (host: string) => {
    const [row] = await on(
      host,
      `select coalesce(sum(calls) filter (where query like '%.roll_up_state%' or query like '%outcome_roll_up%'
          or query like '%latency_roll_up%'), 0)::int as readings,
        coalesce(sum(calls) filter (where query like 'with recursive%.activity%'), 0)::int as pages,
        coalesce(sum(calls) filter (where query like '%pg_control_system%'), 0)::int as looks
      from pg_stat_statements`
    )
    return row as { readonly readings: number; readonly pages: number; readonly looks: number }
  }

  /** Waits until a reading is answered by the replica. */
  const read = () =>
    until("the replica is read from", async () => {
      const before = await outcomes("replica")
      await ask("/api/v1/analytics/usage")
      return (await outcomes("replica")) > before || undefined
    })

  const start = async () => {
    metricsPort = await freePort()
    const environment = { DATABASE_REPLICA_URL: replicaUrl, METRICS_PORT: String(metricsPort), LOG_LEVEL: "info" }
    api = await startApi(database.url, async () => environment)
  }

  beforeAll(async () => {
    servers = await startPrimaryAndStandby({ settings: SETTINGS })
    closing.push(servers.stop)
    await onPrimary("create extension pg_stat_statements")
    database = await makeDatabase(servers.urlsOn(servers.primary, "").url)
    replicaUrl = database.url.replace(servers.primary, servers.standby)
    await start()
    closing.push(() => api.stop())
    for (let number = 0; number < 8; number++) await name(`Agent ${number}`)
  })

  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  it("answers readings of usage and later pages of activity, which the primary then does not", async () => {
    await read()
    for (const server of [onPrimary, onStandby]) await server("select pg_stat_statements_reset()")
    const { ids, next } = await pageOf(undefined)
    const ROUNDS = 10
    for (let round = 0; round < ROUNDS; round++) {
      for (const path of READINGS) await ask(path)
      await pageOf(next)
      await pageOf(undefined)
      await ask("/api/v1/notifications")
      await ask("/api/v1/agents")
    }
    const [primary, standby] = [await statementsOn(servers.primary), await statementsOn(servers.standby)]
    // Usage and a month are a statement each, hours are three.
    assert.deepStrictEqual(
      { readings: standby.readings, pages: standby.pages },
      { readings: 5 * ROUNDS, pages: ROUNDS }
    )
    assert.deepStrictEqual({ readings: primary.readings, pages: primary.pages }, { readings: 0, pages: ROUNDS + 1 })
    await until("the lag is looked at", async () => (await statementsOn(servers.standby)).looks > 0 || undefined)
    const others = await onStandby(
      "select query from pg_stat_statements where query ~ 'agent_platform\\.(run|agent|api_key|notification|member)\\M'"
    )
    assert.deepStrictEqual(others, [], "of what a caller must see at once, and who may, the replica is not asked")
    assert.lengthOf(ids, 3)
  })

  it("gives pages that fit together with those of the primary", async () => {
    await read()
    const whole = await pageOf(undefined, 50)
    const collected: Array<string> = []
    let cursor: unknown
    do {
      const page = await pageOf(cursor)
      collected.push(...page.ids)
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
    assert.deepStrictEqual(collected, whole.ids)
    assert.isAbove(collected.length, 6)
  })

  it("is left for the primary while its replay is paused, so that answers are fresh, and taken again", async () => {
    await read()
    await onStandby("select pg_wal_replay_pause()")
    for (const agent of ["One", "Two", "Three", "Four", "Five"]) await name(`Paused ${agent}`)
    await until("it is known to be behind", async () => ((await lag()) > 5 ? true : undefined))
    const before = await outcomes("replica")
    const whole = await pageOf(undefined, 50)
    const first = await pageOf(undefined)
    assert.deepStrictEqual((await pageOf(first.next)).ids, whole.ids.slice(3, 6))
    for (const path of READINGS) await ask(path)
    assert.strictEqual(await outcomes("replica"), before)
    assert.isAtLeast(await outcomes("behind"), READINGS.length)
    assert.strictEqual((await api.ask("", "GET", "/readyz")).status, 200)
    const doctor = await Effect.runPromise(
      runAdminIn(
        { DATABASE_URL: database.url, DATABASE_REPLICA_URL: replicaUrl, SECRETS_KEY },
        ...["doctor", "--egress-target", "none"]
      )
    )
    assert.match(doctor.out, /^warning +database\.replica .* has not replayed within 5 s/m)
    await onStandby("select pg_wal_replay_resume()")
    await read()
    assert.match(api.log(), /The replica is not read from: it is behind/)
  })

  it("is left for the primary once where a reading is cancelled by a conflict with recovery", async () => {
    const clientOf = (url: string) => layerClient({ url: Redacted.make(url), maxConnections: 4 })
    const program = Effect.gen(function* () {
      const primary = yield* SqlClient.SqlClient
      yield* Effect.gen(function* () {
        const standby = yield* SqlClient.SqlClient
        const replica = yield* makeReplica(primary, standby)
        yield* Effect.promise(() => until("it is fresh", () => replica.isFresh() || undefined))
        const slow = standby`select count(*), pg_sleep(4) from agent_platform.activity`.pipe(Effect.orDie)
        const cancelling = Effect.promise(async () => {
          await until("the reading is under way", async () => {
            const rows = await onStandby(
              "select from pg_stat_activity where query like '%pg_sleep(4)%' and pid <> pg_backend_pid()"
            )
            return rows.length > 0 || undefined
          })
          const url = new URL(database.superuserUrl)
          await on(servers.primary, "begin; lock table agent_platform.activity; commit", url.pathname.slice(1))
        })
        const [answer] = yield* Effect.all(
          [replica.read(Effect.as(slow, "replica"), Effect.succeed("primary")), cancelling],
          { concurrency: 2 }
        )
        assert.strictEqual(answer, "primary")
        // The others go on there.
        assert.strictEqual(yield* replica.read(Effect.succeed("replica"), Effect.succeed("primary")), "replica")
      }).pipe(Effect.provide(clientOf(replicaUrl)))
      const counted = (yield* Metric.snapshot).filter(({ id }) => id === "agent_platform_replica_reads_total")
      assert.sameMembers(
        counted.map(({ attributes }) => attributes?.["outcome"]),
        ["conflict", "replica"]
      )
    }).pipe(Effect.provide(clientOf(database.url)), Effect.scoped)
    await Effect.runPromise(Effect.provideService(program, Metric.MetricRegistry, new Map()))
  })

  it("is told apart by the doctor from a primary and from the copy of another database", async () => {
    const doctor = (url: string) =>
      Effect.runPromise(
        runAdminIn(
          { DATABASE_URL: database.url, DATABASE_REPLICA_URL: url, SECRETS_KEY },
          ...["doctor", "--egress-target", "none"]
        )
      ).then(({ out }) => out)
    assert.match(await doctor(replicaUrl), /^ok +database\.replica/m)
    assert.match(await doctor(database.url), /^warning +database\.replica .* is a primary/m)
    const other = inject("postgresUrl") ?? process.env.TEST_DATABASE_URL ?? ""
    assert.match(await doctor(other), /^warning +database\.replica .* is no copy of the database/m)
    assert.match(await doctor("postgres://127.0.0.1:1/none"), /^warning +database\.replica .* cannot be asked/m)
  })

  it("that falls silent, and one that is killed, fail no request", async () => {
    await read()
    const statuses: Array<number> = []
    let isOver = false
    const { next } = await pageOf(undefined)
    const asking = Array.from({ length: 4 }, async (_, caller) => {
      const paths = [...READINGS, `/api/v1/activity?limit=3&cursor=${next}`]
      for (let round = caller; !isOver; round++) {
        const path = paths[round % paths.length] ?? ""
        statuses.push((await api.ask(database.credentials.workspace_key, "GET", path)).status)
      }
    })
    const sessions = await onStandby(
      "select pid from pg_stat_activity where application_name = 'agent-platform-api' and pid <> pg_backend_pid()"
    )
    assert.isAbove(sessions.length, 0)
    const before = await outcomes("replica")
    for (const { pid } of sessions) process.kill(Number(pid), "SIGSTOP")
    const asked = statuses.length
    await until("requests are answered beside it", () => (statuses.length > asked + 20 ? true : undefined))
    for (const { pid } of sessions) process.kill(Number(pid), "SIGCONT")
    await until("it is read from again", async () => ((await outcomes("replica")) > before + 20 ? true : undefined))
    await servers.killStandby()
    const killed = statuses.length
    await until("requests are answered without it", () => (statuses.length > killed + 50 ? true : undefined))
    await until("it is known", async () => ((await lag()) > 5 ? true : undefined))
    isOver = true
    await Promise.all(asking)
    assert.deepStrictEqual([...new Set(statuses)], [200])
    assert.isAbove((await outcomes("failed")) + (await outcomes("timeout")), 0)
    assert.strictEqual((await api.ask("", "GET", "/readyz")).status, 200)
    await api.stop()
    await start()
    for (const path of READINGS) await ask(path)
    assert.strictEqual(await outcomes("replica"), 0)
  })
})
