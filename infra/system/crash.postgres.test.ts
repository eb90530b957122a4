/**
 * kill -9 of the worker, the API and Postgres at the moments that matter: no accepted run and no event is lost. A dead
 * worker is noticed within 15 s, so these tests take their time; they run beside each other.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { startEmbeddedPostgres } from "../local/EmbeddedPostgres.ts"
import { makeDatabase, startApi, startApp, startReceiver, until } from "./harness.ts"

/** Everything but a worker, over a database of its own. */
const aPlatform = async (adminUrl: string, answer?: (number: number) => number | undefined) => {
  const database = await makeDatabase(adminUrl)
  const api = await startApi(database.url)
  const receiver = await startReceiver(answer)
  const { agent_id, org_key, workspace_key } = database.credentials
  await api.ask(org_key, "POST", "/api/v1/org/webhooks", { url: receiver.url })
  const apps: Array<{ readonly kill: () => Promise<void> }> = [api]
  return {
    database,
    api,
    receiver,
    startWorker: async () => {
      const worker = await startApp("worker", database.url)
      apps.push(worker)
      return worker
    },
    /** As callers do: what could not be accepted for the moment is asked for again. */
    trigger: (input: unknown, more: Record<string, unknown> = {}) =>
      until("a run is accepted", async () => {
        const { body, status } = await api.ask(workspace_key, "POST", "/api/v1/runs/", { agent_id, input, ...more })
        if (status === 503) return undefined
        assert.strictEqual(status, 202, JSON.stringify(body))
        return String(body.run_id)
      }),
    read: async (runId: string) => {
      const { body, status } = await api.ask(workspace_key, "GET", `/api/v1/runs/${runId}`)
      return status === 200 ? body : undefined
    },
    ended: (runId: string) =>
      until(
        `run ${runId} ends`,
        async () => {
          const { body, status } = await api.ask(workspace_key, "GET", `/api/v1/runs/${runId}`)
          return status === 200 && body.status !== "queued" && body.status !== "running" ? body : undefined
        },
        60
      ),
    /** The ids of the events that arrived about a run. */
    eventsAbout: (runId: string) =>
      receiver.received.filter(({ body }) => body.includes(runId)).map(({ headers }) => headers["x-service-event-id"]),
    close: async () => {
      await Promise.all(apps.map((app) => app.kill()))
      await receiver.stop()
      await database.drop()
    }
  }
}

describe.concurrent("after kill -9", () => {
  const adminUrl = inject("postgresUrl")

  it("of the API right after it accepted runs, and before any was fetched, every one is executed", async () => {
    const platform = await aPlatform(adminUrl)
    const runs = await Promise.all(Array.from({ length: 20 }, () => platform.trigger({ steps: [{ return: 1 }] })))
    await platform.api.kill()
    await Promise.all([platform.startWorker(), platform.api.restart()])
    for (const run of runs) assert.deepInclude(await platform.ended(run), { status: "succeeded", attempt: 1 })
    await until("every event arrives", () => runs.every((run) => platform.eventsAbout(run).length > 0) || undefined)
    for (const run of runs) assert.strictEqual(new Set(platform.eventsAbout(run)).size, 1)
    await platform.close()
  }, 120_000)

  it("of a worker in the middle of runs, each ends once: again where attempts remain, else as worker_lost", async () => {
    const platform = await aPlatform(adminUrl)
    const worker = await platform.startWorker()
    const steps = [{ say: "begun" }, { sleep_ms: 15_000 }, { return: "done" }]
    const [once, twice] = await Promise.all([
      platform.trigger({ steps }),
      platform.trigger({ steps }, { max_attempts: 2 })
    ])
    await until("both runs are running", async () => {
      const runs = await Promise.all([platform.read(once), platform.read(twice)])
      return runs.every((run) => run?.status === "running") || undefined
    })
    // Somebody is there to notice it: how long a worker takes to start depends on the machine.
    await platform.startWorker()
    await worker.kill()
    const killedAt = Date.now()
    assert.deepInclude(await platform.ended(once), { status: "failed", error_code: "worker_lost", attempt: 1 })
    assert.isBelow(Date.now() - killedAt, 15_000, "a dead worker is noticed within 15 s")
    assert.deepInclude(await platform.ended(twice), { status: "succeeded", result: "done", attempt: 2 })
    await until(
      "both events arrive",
      () => (platform.eventsAbout(once).length > 0 && platform.eventsAbout(twice).length > 0) || undefined
    )
    for (const run of [once, twice]) assert.strictEqual(new Set(platform.eventsAbout(run)).size, 1)
    await platform.close()
  }, 120_000)

  it("of a worker in the middle of a delivery, the same event is delivered by another within 15 s", async () => {
    const platform = await aPlatform(adminUrl, (number) => (number === 1 ? undefined : 200))
    const worker = await platform.startWorker()
    const run = await platform.trigger({ steps: [{ return: 1 }] })
    await until("the delivery is under way", () => platform.receiver.received.length === 1 || undefined)
    await worker.kill()
    const killedAt = Date.now()
    await platform.startWorker()
    await until("it is delivered again", () => platform.receiver.received.length === 2 || undefined)
    assert.isBelow(Date.now() - killedAt, 15_000)
    assert.strictEqual(new Set(platform.eventsAbout(run)).size, 1)
    // A lost claim is no failed attempt.
    const { org_key } = platform.database.credentials
    const { body } = await platform.api.ask(org_key, "GET", "/api/v1/org/webhooks")
    const [endpoint] = body.items as ReadonlyArray<{ readonly id: string }>
    const path = `/api/v1/org/webhooks/${endpoint!.id}/deliveries`
    const [delivery] = await until("it is settled", async () => {
      const listed = await platform.api.ask(org_key, "GET", path)
      const items = listed.body.items as ReadonlyArray<Record<string, unknown>>
      return items[0]?.state === "delivered" ? items : undefined
    })
    assert.strictEqual(delivery!.attempt_count, 1)
    await platform.close()
  }, 120_000)

  it("of a worker at random moments, no run and no event is lost", async () => {
    const platform = await aPlatform(adminUrl)
    const runs: Array<string> = []
    for (let round = 0; round < 3; round++) {
      const worker = await platform.startWorker()
      const more = { max_attempts: 10 }
      const batch = Array.from({ length: 20 }, (_, index) =>
        platform.trigger({ steps: [{ sleep_ms: index * 5 }, { return: index }] }, more)
      )
      runs.push(...(await Promise.all(batch)))
      await worker.kill()
    }
    await platform.startWorker()
    for (const run of runs) assert.deepInclude(await platform.ended(run), { status: "succeeded" })
    await until("every event arrives", () => runs.every((run) => platform.eventsAbout(run).length > 0) || undefined, 60)
    for (const run of runs) assert.strictEqual(new Set(platform.eventsAbout(run)).size, 1)
    await platform.close()
  }, 180_000)
})

describe("after kill -9 of Postgres", () => {
  const home = mkdtempSync(join(tmpdir(), "agent-platform-crash-"))
  let postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>>

  beforeAll(async () => {
    // The user that root's Postgres runs as has to pass through.
    chmodSync(home, 0o711)
    postgres = await startEmbeddedPostgres({ dataDir: home, say: () => undefined })
  }, 60_000)

  afterAll(async () => {
    await postgres.stop("fast")
    rmSync(home, { recursive: true, force: true })
  }, 60_000)

  it("everything recovers by itself, and every run that was accepted ends and is reported", async () => {
    const platform = await aPlatform(postgres.url)
    await platform.startWorker()
    const runs: Array<string> = []
    for (let round = 0; round < 3; round++) {
      const steps = [{ say: "a" }, { sleep_ms: 100 }, { return: round }]
      const batch = Array.from({ length: 10 }, () => platform.trigger({ steps }, { max_attempts: 10 }))
      runs.push(...(await Promise.all(batch)))
      process.kill(postgres.pid(), "SIGKILL")
      await until(
        "Postgres is back",
        async () => (await fetch(`http://127.0.0.1:${platform.api.port}/readyz`)).status === 200 || undefined
      )
    }
    for (const run of runs) assert.deepInclude(await platform.ended(run), { status: "succeeded" })
    await until("every event arrives", () => runs.every((run) => platform.eventsAbout(run).length > 0) || undefined, 60)
    for (const run of runs) assert.strictEqual(new Set(platform.eventsAbout(run)).size, 1)
    await platform.close()
  }, 180_000)
})
