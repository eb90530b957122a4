/** kill -9 of a worker in the middle of a delivery and of an erasure: another goes on with it. */
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { connected } from "../../packages/postgres/test/support/roles.ts"
import { until } from "./harness.ts"
import { aPlatform, eventIdOf, secondsSince } from "./killedPlatform.ts"

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

describe("after kill -9", () => {
  let platform: Awaited<ReturnType<typeof aPlatform>>

  beforeAll(async () => {
    platform = await aPlatform(inject("postgresUrl"))
  })

  afterAll(() => platform?.close())

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
