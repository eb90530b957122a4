/** The apps and the operator's program over a pooler: refused where it does not keep sessions, and at work where it does. */
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { runAdminIn } from "../../apps/admin/test/program.ts"
import { hasPgBouncer, NO_PGBOUNCER, startPgBouncer } from "../../packages/postgres/test/support/pgBouncer.ts"
import { startPooler } from "../../packages/postgres/test/support/pooler.ts"
import { makeDatabase, SECRETS_KEY, startApi, startApp, startReceiver, until } from "./harness.ts"
import { blockOf } from "./operationsPage.ts"

interface Pooler {
  readonly url: string
  readonly stop: () => Promise<unknown>
}

/** As the page has them for PgBouncer in session mode. */
const SETTINGS = Object.fromEntries(
  [...blockOf("ini").matchAll(/^(\w+) = (.*)$/gm)].map(([, name, value]) => [name, value])
)

interface PoolerOfTests {
  readonly name: string
  /** That in which transactions follow each other in one session of Postgres. */
  readonly start: (url: string, mode: "session" | "transaction") => Promise<Pooler>
}

const OVER_PGBOUNCER: PoolerOfTests = {
  name: "PgBouncer",
  start: (url, mode) => startPgBouncer(url, { mode, settings: mode === "session" ? SETTINGS : {} })
}

/** Where PgBouncer is not installed, a pooler of the tests stands in for it. */
const STAND_IN: PoolerOfTests = { name: "a pooler", start: (url, mode) => startPooler(url, { mode, size: 40 }) }

if (!hasPgBouncer) console.warn(NO_PGBOUNCER)

describe.each([hasPgBouncer ? OVER_PGBOUNCER : STAND_IN])("$name", ({ start }) => {
  let database: Awaited<ReturnType<typeof makeDatabase>>
  const closing: Array<() => Promise<unknown>> = []
  const pooled = async (mode: "session" | "transaction") => {
    const pooler = await start(database.url, mode)
    closing.push(pooler.stop)
    return pooler.url
  }

  beforeAll(async () => {
    database = await makeDatabase(inject("postgresUrl"))
    closing.push(database.drop)
  })

  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  it("in transaction mode is refused by every app as a wrong setting, in words that hold no password", async () => {
    const url = await pooled("transaction")
    for (const start of [() => startApi(url), () => startApp("worker", url), () => startApp("admin", url)]) {
      const message = await start().then(
        () => assert.fail("It started"),
        (error: Error) => error.message
      )
      assert.match(message, /ended with 78 .*/)
      assert.match(message, /DATABASE_URL leads through a pooler.* name Postgres itself, or a pooler in session mode/)
      assert.notInclude(message, new URL(url).password)
    }
  })

  it("in transaction mode is refused by commands, and found by the doctor", async () => {
    const url = await pooled("transaction")
    const command = await Effect.runPromise(runAdminIn({ DATABASE_URL: url }, "organizations", "list"))
    assert.strictEqual(command.code, 78)
    assert.include(command.err, "DATABASE_URL leads through a pooler")
    const owner = { DATABASE_URL: database.url, DATABASE_OWNER_URL: url }
    const migrate = await Effect.runPromise(runAdminIn(owner, "migrate"))
    assert.strictEqual(migrate.code, 78)
    assert.include(migrate.err, "DATABASE_OWNER_URL leads through a pooler")
    const args = ["doctor", "--egress-target", "none"] as const
    const doctor = await Effect.runPromise(runAdminIn({ DATABASE_URL: url, SECRETS_KEY }, ...args))
    assert.strictEqual(doctor.code, 3)
    assert.match(doctor.out, /^problem +database\.sessions .*\n.*session mode/m)
    const direct = await Effect.runPromise(runAdminIn({ DATABASE_URL: database.url, SECRETS_KEY }, ...args))
    assert.match(direct.out, /^ok +database\.sessions/m)
  })

  it("in session mode is worked over: runs, signals, deliveries and jobs by the clock", async () => {
    const url = await pooled("session")
    const { agent_id, org_key, workspace_key } = database.credentials
    const receiver = await startReceiver()
    const [api, worker, scheduler] = await Promise.all([startApi(url), startApp("worker", url), startApp("admin", url)])
    closing.push(receiver.stop, api.stop, worker.stop, scheduler.stop)
    await api.ask(org_key, "POST", "/api/v1/org/webhooks", { url: receiver.url })
    for (let run = 0; run < 20; run++) {
      const { body } = await api.ask(workspace_key, "POST", "/api/v1/runs/", { agent_id, message: "hi" })
      await until("the run is done", async () => {
        const { body: seen } = await api.ask(workspace_key, "GET", `/api/v1/runs/${body["run_id"]}?wait_seconds=5`)
        return seen["status"] === "succeeded" ? true : undefined
      })
    }
    await until("every event arrives", () => receiver.received.length >= 20 || undefined)
    const { code, out } = await Effect.runPromise(runAdminIn({ DATABASE_URL: url }, "jobs", "run", "logins.prune"))
    assert.strictEqual(code, 0, out)
    for (const { log } of [api, worker, scheduler]) assert.notMatch(log(), /"level":[56]0/)
  })
})

// Only a real PgBouncer closes a connection that begins a transaction; where it is not installed its name says so.
describe.skipIf(!hasPgBouncer)(`PgBouncer${hasPgBouncer ? "" : `: ${NO_PGBOUNCER}`}`, () => {
  it("in statement mode is refused, too", async () => {
    const pooler = await startPgBouncer(inject("postgresUrl"), { mode: "statement" })
    try {
      const message = await startApi(pooler.url).then(
        () => assert.fail("It started"),
        (error: Error) => error.message
      )
      assert.match(message, /ended with 78 .*/)
      assert.match(message, /DATABASE_URL leads through a pooler.* name Postgres itself, or a pooler in session mode/)
    } finally {
      await pooler.stop()
    }
  })
})
