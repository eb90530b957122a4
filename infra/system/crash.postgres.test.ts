/**
 * kill -9 of the worker and the API at the moments that matter: no accepted run and no event is lost. One after the other, since
 * most of their cost is what is started; `crashRounds` kills at any moment, Postgres too. That a dead worker is noticed within
 * 15 s is tested by a clock that no machine slows down (`RunWorker.test.ts`, `DeliveryWorker.faults.test.ts`); here the
 * seconds are printed.
 */
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { connected } from "../../packages/postgres/test/support/roles.ts"
import { type Answer, makeDatabase, type Received, startApi, startApp, startReceiver, until } from "./harness.ts"

const isFirstAttempt = (body: string): boolean => (JSON.parse(body) as { readonly attempt: number }).attempt === 1

const secondsSince = (millis: number): string => ((Date.now() - millis) / 1000).toFixed(1)

const eventIdOf = ({ headers }: Received) => headers["x-service-event-id"]

/** Keeps an agent from being removed, which an erasure comes to after the agent's runs. */
const holdAgent = async (url: string, agentId: string) => {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = Effect.runPromise(
    connected(Redacted.make(url), (sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from agent_platform.agent where id = ${agentId} for key share`
          locked.resolve()
          yield* Effect.promise(() => released.promise)
        })
      )
    )
  )
  await Promise.race([locked.promise, ended])
  return {
    isWaitedFor: () =>
      Effect.runPromise(
        connected(
          Redacted.make(url),
          (sql) => sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        )
      ).then((rows) => rows.length > 0 || undefined),
    release: () => {
      released.resolve()
      return ended
    }
  }
}

/** An API, and workers as they are needed, over a database of their own. */
const aPlatform = async (adminUrl: string) => {
  const database = await makeDatabase(adminUrl)
  const api = await startApi(database.url)
  let answer: Answer = () => 200
  const receiver = await startReceiver((number, body) => answer(number, body))
  const { agent_id, org_key, workspace_key } = database.credentials
  await api.ask(org_key, "POST", "/api/v1/org/webhooks", { url: receiver.url })
  const apps: Array<{ readonly kill: () => Promise<void> }> = [api]
  const startWorker = async () => {
    const worker = await startApp("worker", database.url)
    apps.push(worker)
    return worker
  }
  let alive: ReturnType<typeof startWorker> | undefined
  return {
    database,
    api,
    receiver,
    /** The one worker that is there, which is started if there is none. */
    worker: () => {
      alive ??= startWorker()
      return alive
    },
    /** Starts the worker that is there from now on, beside the one before. */
    startNext: () => {
      alive = startWorker()
      return alive
    },
    /** Has the receiver answer otherwise from now on. */
    answerBy: (by: Answer) => {
      answer = by
    },
    /** As callers do: what could not be accepted for the moment is asked for again. */
    trigger: (input: unknown, more: Record<string, unknown> = {}) =>
      until("a run is accepted", async () => {
        const { body, status } = await api.ask(workspace_key, "POST", "/api/v1/runs/", { agent_id, input, ...more })
        if (status === 503) return undefined
        assert.strictEqual(status, 202, JSON.stringify(body))
        return String(body.run_id)
      }),
    ended: (runId: string) =>
      until(`run ${runId} ends`, async () => {
        const { body, status } = await api.ask(workspace_key, "GET", `/api/v1/runs/${runId}`)
        return status === 200 && body.status !== "queued" && body.status !== "running" ? body : undefined
      }),
    /** The ids of the events that arrived about a run. */
    eventsAbout: (runId: string) => receiver.received.filter(({ body }) => body.includes(runId)).map(eventIdOf),
    close: async () => {
      await Promise.all(apps.map((app) => app.kill()))
      await receiver.stop()
      await database.drop()
    }
  }
}

describe("after kill -9", () => {
  let platform: Awaited<ReturnType<typeof aPlatform>>

  beforeAll(async () => {
    platform = await aPlatform(inject("postgresUrl"))
  })

  afterAll(() => platform?.close())

  it("of the API right after it accepted runs, and before any was fetched, every one is executed", async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => platform.trigger({ steps: [{ return: 1 }] })))
    await platform.api.kill()
    await Promise.all([platform.worker(), platform.api.restart()])
    for (const run of runs) assert.deepInclude(await platform.ended(run), { status: "succeeded", attempt: 1 })
    await until("every event arrives", () => runs.every((run) => platform.eventsAbout(run).length > 0) || undefined)
    for (const run of runs) assert.strictEqual(new Set(platform.eventsAbout(run)).size, 1)
  })

  it("of a worker in the middle of runs, each ends once: again where attempts remain, else as worker_lost", async () => {
    const worker = await platform.worker()
    // An agent that goes on until its worker is dead, however long it takes the machine to come to that.
    const agent = await startReceiver((_, body) =>
      isFirstAttempt(body) ? undefined : `{"type":"result","result":"done"}`
    )
    const { workspace_key } = platform.database.credentials
    const patient = { name: "Patient", recipe: "http", endpoint: { url: agent.url } }
    const { agent_id } = (await platform.api.ask(workspace_key, "POST", "/api/v1/agents", patient)).body
    const [once, twice] = await Promise.all([
      platform.trigger(null, { agent_id }),
      platform.trigger(null, { agent_id, max_attempts: 2 })
    ])
    await until("both runs are under way", () => agent.received.length === 2 || undefined)
    // Somebody is there to notice it.
    await platform.startNext()
    await worker.kill()
    const killedAt = Date.now()
    assert.deepInclude(await platform.ended(once), { status: "failed", error_code: "worker_lost", attempt: 1 })
    console.log(`A worker killed in the middle of a run was noticed after ${secondsSince(killedAt)} s`)
    assert.deepInclude(await platform.ended(twice), { status: "succeeded", result: "done", attempt: 2 })
    await until(
      "both events arrive",
      () => (platform.eventsAbout(once).length > 0 && platform.eventsAbout(twice).length > 0) || undefined
    )
    for (const run of [once, twice]) assert.strictEqual(new Set(platform.eventsAbout(run)).size, 1)
    await agent.stop()
  })

  it("of a worker in the middle of a delivery, the same event is delivered by another", async () => {
    const worker = await platform.worker()
    const { received } = platform.receiver
    const before = new Set(received.map(eventIdOf))
    // Those about earlier runs may come again.
    const own = () => received.filter((one) => !before.has(eventIdOf(one)))
    platform.answerBy((number) => (own().length === 1 && own()[0] === received[number - 1] ? undefined : 200))
    const run = await platform.trigger({ steps: [{ return: 1 }] })
    await until("the delivery is under way", () => own().length === 1 || undefined)
    // At once: the request itself times out after 15 s.
    await worker.kill()
    const killedAt = Date.now()
    await platform.startNext()
    await until("it is delivered again", () => own().length === 2 || undefined)
    const seconds = secondsSince(killedAt)
    console.log(`A worker killed in the middle of a delivery was replaced, by one started then, after ${seconds} s`)
    assert.strictEqual(new Set(platform.eventsAbout(run)).size, 1)
    // A lost claim is no failed attempt.
    const { org_key } = platform.database.credentials
    const { body } = await platform.api.ask(org_key, "GET", "/api/v1/org/webhooks")
    const [endpoint] = body.items as ReadonlyArray<{ readonly id: string }>
    const path = `/api/v1/org/webhooks/${endpoint!.id}/deliveries`
    const delivery = await until("it is settled", async () => {
      const listed = await platform.api.ask(org_key, "GET", path)
      const items = listed.body.items as ReadonlyArray<Record<string, unknown>>
      return items.find(({ event_id, state }) => event_id === eventIdOf(own()[0]!) && state === "delivered")
    })
    assert.strictEqual(delivery.attempt_count, 1)
  })

  it("of a worker in the middle of an erasure, another goes on with what is left and comes to the same end", async () => {
    const worker = await platform.worker()
    const { api, database } = platform
    const { workspace_key: key } = database.credentials
    await Effect.runPromise(
      connected(
        Redacted.make(database.superuserUrl),
        (sql) => sql`update agent_platform.api_key set scopes = scopes || '{data:erase}' where kind = 'workspace'`
      )
    )
    const anAgent = async () => {
      const { agent_id } = (await api.ask(key, "POST", "/api/v1/agents", { name: "Erased", recipe: "demo" })).body
      await api.ask(key, "POST", `/api/v1/agents/${agent_id}/webhooks`, {})
      const runs = await Promise.all([1, 2].map(() => platform.trigger({ steps: [{ return: 1 }] }, { agent_id })))
      for (const run of runs) await platform.ended(run)
      return { agentId: String(agent_id), runs }
    }
    const erase = async (agentId: string) => {
      const { body, status } = await api.ask(key, "POST", `/api/v1/agents/${agentId}/erase`)
      assert.strictEqual(status, 202, JSON.stringify(body))
      return async () => (await api.ask(key, "GET", `/api/v1/erasures/${body.id}`)).body
    }
    const done = (read: Awaited<ReturnType<typeof erase>>) =>
      until("the erasure is done", async () => {
        const body = await read()
        return body.state === "done" ? body.counts : undefined
      })
    const [broken, whole] = [await anAgent(), await anAgent()]
    const lock = await holdAgent(database.superuserUrl, broken.agentId)
    const read = await erase(broken.agentId)
    await until("the runs are gone, and the agent is next", lock.isWaitedFor)
    const { counts, state } = await read()
    assert.notStrictEqual(state, "done")
    assert.deepInclude(counts as object, { runs: { done: 2, total: 2 } })
    await worker.kill()
    await lock.release()
    const killedAt = Date.now()
    await platform.startNext()
    const after = await done(read)
    console.log(
      `A worker killed in the middle of an erasure was replaced, by one started then, after ${secondsSince(killedAt)} s`
    )
    assert.deepStrictEqual(after, await done(await erase(whole.agentId)))
    for (const { agentId, runs } of [broken, whole]) {
      for (const path of [`agents/${agentId}`, ...runs.map((run) => `runs/${run}`)]) {
        assert.strictEqual((await api.ask(key, "GET", `/api/v1/${path}`)).status, 404, path)
      }
    }
  })
})
