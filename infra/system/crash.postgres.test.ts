/**
 * kill -9 of the API and the worker at the moments that matter: no accepted run and no event is lost. One after the other, since
 * most of their cost is what is started; `crashMoments.long` kills in the middle of other work, `crashRounds` at any moment, Postgres
 * too. That a dead worker is noticed within 15 s is tested by a clock that no machine slows down (`RunWorker.test.ts`,
 * `DeliveryWorker.faults.test.ts`); here the seconds are printed.
 */
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { startReceiver, until } from "./harness.ts"
import { aPlatform, secondsSince } from "./killedPlatform.ts"

const isFirstAttempt = (body: string): boolean => (JSON.parse(body) as { readonly attempt: number }).attempt === 1

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
})
