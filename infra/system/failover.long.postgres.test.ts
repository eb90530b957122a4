/** One URL for a primary and its standby: who goes where, and where everybody is after a failover. */
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import pg from "pg"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { runAdminIn } from "../../apps/admin/test/program.ts"
import { inspectQueue } from "../../packages/pg-boss/src/index.ts"
import { databaseState, layerClient } from "../../packages/postgres/src/index.ts"
import { type App, makeDatabase, SECRETS_KEY, startApi, startApp, until } from "./harness.ts"
import { startPrimaryAndStandby } from "./primaryAndStandby.ts"

/** How soon after there is a new primary everything has to be there. The machine's load is in it. */
const FAILOVER_SECONDS_MAX = 3

const hostsIn = (url: string, hosts: string, query: string) => url.replace(new URL(url).host, hosts).concat(query)

/** The port of the server that a URL leads to, by the client of the apps and by the queue's. */
const portsOf = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ask = sql<{ readonly port: number }>`select inet_server_port() as port`
    const inTransaction = yield* sql.withTransaction(ask)
    return [...(yield* ask), ...inTransaction].map(({ port }) => port)
  }).pipe(Effect.provide(layerClient({ url: Redacted.make(url), maxConnections: 8 })), Effect.runPromise)

const stateOf = (url: string) =>
  Effect.runPromise(Effect.provide(databaseState, layerClient({ url: Redacted.make(url), maxConnections: 1 })))

const queueOf = (url: string) => Effect.runPromise(Effect.result(inspectQueue({ url: Redacted.make(url) }, [])))

describe("a primary and its standby", () => {
  let servers: Awaited<ReturnType<typeof startPrimaryAndStandby>>
  let database: Awaited<ReturnType<typeof makeDatabase>>
  /** The standby comes first, so that nobody finds the primary by taking the first that answers. */
  let both: string
  let api: Awaited<ReturnType<typeof startApi>>
  let worker: App
  let scheduler: App
  const closing: Array<() => Promise<unknown>> = []

  const onStandby = async (text: string, name = "postgres") => {
    const url = new URL(servers.urlsOn(servers.standby, "").url)
    url.pathname = `/${name}`
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  const urlWith = (hosts: string, wanted: string) => hostsIn(database.url, hosts, `?target_session_attrs=${wanted}`)

  beforeAll(async () => {
    servers = await startPrimaryAndStandby()
    closing.push(servers.stop)
    database = await makeDatabase(servers.urlsOn(servers.primary, "").url)
    const name = new URL(database.url).pathname.slice(1)
    both = urlWith(`${servers.standby},${servers.primary}`, "read-write")
    await until("the standby has the schema", async () => {
      const [row] = await onStandby(`select from pg_database where datname = '${name}'`)
      if (row === undefined) return undefined
      const [made] = await onStandby("select to_regclass('agent_platform.run') is not null as made", name)
      return made?.made === true ? true : undefined
    })
    ;[api, worker, scheduler] = await Promise.all([startApi(both), startApp("worker", both), startApp("admin", both)])
    closing.push(
      () => api.stop(),
      () => worker.stop(),
      () => scheduler.stop()
    )
  })

  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  const portOf = (host: string) => Number(new URL(`x://${host}`).port)

  it("are told apart by target_session_attrs, by the client of the apps and by the queue", async () => {
    const { primary, standby } = servers
    const twice = (host: string) => [portOf(host), portOf(host)]
    for (const order of [`${standby},${primary}`, `${primary},${standby}`]) {
      for (const wanted of ["read-write", "primary"]) {
        assert.deepStrictEqual(await portsOf(urlWith(order, wanted)), twice(primary), wanted)
        assert.strictEqual((await queueOf(urlWith(order, wanted)))._tag, "Success", wanted)
      }
      for (const wanted of ["read-only", "standby"]) {
        assert.deepStrictEqual(await portsOf(urlWith(order, wanted)), twice(standby), wanted)
      }
      assert.deepStrictEqual(await portsOf(urlWith(order, "any")), twice(order.split(",")[0] ?? ""))
    }
    assert.deepStrictEqual(await portsOf(urlWith(`127.0.0.1:1,${standby}`, "any")), twice(standby))
  })

  it("are refused by their names where none is what is asked for", async () => {
    const { standby } = servers
    const alone = urlWith(`127.0.0.1:1,${standby}`, "read-write")
    const { code, err } = await Effect.runPromise(runAdminIn({ DATABASE_URL: alone }, "organizations", "list"))
    assert.strictEqual(code, 1)
    assert.match(err, /No host can be used: 127\.0\.0\.1:1: .*ECONNREFUSED.*; 127\.0\.0\.1:\d+ is a standby/)
    const queue = await queueOf(alone)
    assert.match(
      String(queue._tag === "Failure" ? queue.failure.cause : "none"),
      /No host can be used: .* is a standby/
    )
  })

  it("are asked again over the same session for as long as they are a standby", async () => {
    const url = Redacted.make(`${urlWith(`127.0.0.1:1,${servers.standby}`, "read-write")}&application_name=asks_again`)
    const pids = () =>
      Effect.promise(() => onStandby("select pid from pg_stat_activity where application_name = 'asks_again'"))
    await Effect.gen(function* () {
      assert.strictEqual(yield* databaseState, "read_only")
      const first = yield* pids()
      assert.strictEqual(first.length, 1)
      for (let times = 0; times < 20; times++) assert.strictEqual(yield* databaseState, "read_only")
      assert.deepStrictEqual(yield* pids(), first)
    }).pipe(Effect.provide(layerClient({ url, maxConnections: 1 })), Effect.runPromise)
  })

  it("are told apart for readiness and by the doctor where the URL names the standby", async () => {
    const standby = hostsIn(database.url, servers.standby, "")
    assert.strictEqual(await stateOf(standby), "read_only")
    assert.strictEqual(await stateOf(urlWith(servers.standby, "read-write")), "read_only")
    assert.strictEqual(await stateOf(both), "current")
    const doctor = await Effect.runPromise(
      runAdminIn({ DATABASE_URL: standby, SECRETS_KEY }, "doctor", "--egress-target", "none")
    )
    assert.match(doctor.out, /^problem +database\.writable/m)
    const reader = await startApi(standby)
    const { body, status } = await reader.ask("", "GET", "/readyz")
    assert.strictEqual(`${status} ${body["detail"]}`, "503 The database takes no writes")
    assert.include(reader.log(), "takes no writes")
    await reader.stop()
  })

  it("change places, and every process is with the new primary at once, without a restart", async () => {
    const { agent_id, workspace_key } = database.credentials
    const run = async () => {
      const { body, status } = await api.ask(workspace_key, "POST", "/api/v1/runs/", { agent_id, message: "hi" })
      if (status !== 202) return undefined
      return until("the run is done", async () => {
        const { body: seen } = await api.ask(workspace_key, "GET", `/api/v1/runs/${body.run_id}`)
        return seen.status === "succeeded" ? true : undefined
      })
    }
    await until("a run is done over both", run)
    await until("the standby has it", async () => {
      const [row] = await onStandby("select pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() as same")
      return row?.same === true ? true : undefined
    })
    await servers.killPrimary()
    await until("it is noticed", async () => (await api.ask("", "GET", "/readyz")).status === 503 || undefined)
    await onStandby("select pg_promote()")
    const promotedAt = performance.now()
    await until("a run is done", run)
    const secondsOfRun = (performance.now() - promotedAt) / 1_000
    const listeners = await until("API and worker listen", async () => {
      const rows = await onStandby(
        "select distinct application_name as name from pg_stat_activity where query like 'LISTEN %'"
      )
      return rows.length >= 2 ? rows.map(({ name }) => name).sort() : undefined
    })
    const secondsOfListeners = (performance.now() - promotedAt) / 1_000
    assert.includeMembers(listeners, ["agent-platform-api", "agent-platform-worker"])
    await until("the queue is there", async () => {
      const rows = await onStandby("select from pg_stat_activity where application_name = 'agent-platform-queue'")
      return rows.length > 0 ? true : undefined
    })
    assert.deepStrictEqual(await portsOf(both), [portOf(servers.standby), portOf(servers.standby)])
    const { code, out } = await Effect.runPromise(runAdminIn({ DATABASE_URL: both }, "jobs", "run", "logins.prune"))
    assert.strictEqual(code, 0, out)
    console.log(
      `After the promotion a run was done within ${secondsOfRun.toFixed(1)} s, and everybody listened within ` +
        `${secondsOfListeners.toFixed(1)} s`
    )
    assert.isAtMost(secondsOfRun, FAILOVER_SECONDS_MAX)
    assert.isAtMost(secondsOfListeners, FAILOVER_SECONDS_MAX)
  })
})
