import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { type Answer, type App, makeDatabase, startApi, startApp, startReceiver, until } from "./harness.ts"

type Database = Awaited<ReturnType<typeof makeDatabase>>
type Api = Awaited<ReturnType<typeof startApi>>

/** How long a reader of a run waits for its end. */
const WAIT_SECONDS = 50

interface DeliveryList {
  readonly items: ReadonlyArray<{
    readonly delivery_id: string
    readonly event_id: string
    readonly state: string
    readonly next_attempt_at: string | null
    readonly attempts: ReadonlyArray<{
      readonly attempted_at: string
      readonly duration_ms: number
      readonly response_code: number | null
    }>
  }>
}

describe("the main job, end to end over real parts", () => {
  let database: Database
  let api: Api
  let worker: App
  const closing: Array<() => Promise<unknown>> = []

  beforeAll(async () => {
    database = await makeDatabase(inject("postgresUrl"))
    closing.push(database.drop)
    ;[api, worker] = await Promise.all([
      startApi(database.url, undefined, "sources"),
      startApp("worker", database.url, {}, [], "sources")
    ])
    closing.push(
      () => api.stop(),
      () => worker.stop()
    )
  })

  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  const register = async (answer?: Answer, eventTypes: ReadonlyArray<string> = []) => {
    const receiver = await startReceiver(answer)
    closing.push(receiver.stop)
    const { org_key } = database.credentials
    const registered = await api.ask(org_key, "POST", "/api/v1/org/webhooks", {
      url: receiver.url,
      event_types: eventTypes
    })
    assert.strictEqual(registered.status, 201, JSON.stringify(registered.body))
    return { receiver, id: String(registered.body.id), secret: String(registered.body.secret) }
  }
  const trigger = async (input: unknown, more: Record<string, unknown> = {}) => {
    const { agent_id, workspace_key } = database.credentials
    const accepted = await api.ask(workspace_key, "POST", "/api/v1/runs/", { agent_id, input, ...more })
    assert.strictEqual(accepted.status, 202, JSON.stringify(accepted.body))
    return String(accepted.body.run_id)
  }
  const finished = async (runId: string) => {
    const { body } = await api.ask(
      database.credentials.workspace_key,
      "GET",
      `/api/v1/runs/${runId}?wait_seconds=${WAIT_SECONDS}`
    )
    return body
  }
  const deliveries = async (endpointId: string) => {
    const { body } = await api.ask(database.credentials.org_key, "GET", `/api/v1/org/webhooks/${endpointId}/deliveries`)
    return (body as unknown as DeliveryList).items
  }

  it("executes a triggered run, shows its logs and delivers its outcome, signed", async () => {
    const { receiver, secret } = await register()
    const runId = await trigger({ steps: [{ say: "hi" }, { return: { total: 3 } }] })
    const run = await finished(runId)
    assert.deepInclude(run, { status: "succeeded", paused: false, result: { total: 3 }, cost_usd: "0.00" })

    const stream = await fetch(`http://127.0.0.1:${api.port}/api/v1/runs/${runId}/logs`, {
      headers: { authorization: `Bearer ${database.credentials.workspace_key}` }
    })
    assert.include(stream.headers.get("content-type"), "text/event-stream")
    const types = [...(await stream.text()).matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
    assert.deepStrictEqual(types, ["run.queued", "run.started", "message.delta", "message.completed", "run.succeeded"])

    const delivered = await until("the event arrives", () => receiver.received.find(({ body }) => body.includes(runId)))
    const envelope = JSON.parse(delivered.body)
    assert.strictEqual(envelope.type, "run.succeeded")
    assert.match(envelope.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
    assert.deepInclude(envelope.data, {
      run_id: runId,
      workspace_id: database.credentials.workspace_id,
      agent_id: database.credentials.agent_id,
      status: "succeeded",
      error: null
    })
    assert.strictEqual(delivered.headers["x-service-event-id"], envelope.id)
    assert.strictEqual(delivered.headers["x-service-event-type"], "run.succeeded")

    const signature = String(delivered.headers["x-service-signature"])
    // Three verifiers that are not ours: Stripe's, the Standard Webhooks one, and the scheme spelled out.
    const stripe = new Stripe("sk_test_unused")
    assert.strictEqual(stripe.webhooks.constructEvent(delivered.body, signature, secret).id, envelope.id)
    assert.throws(() => stripe.webhooks.constructEvent(`${delivered.body} `, signature, secret))
    const headers = Object.fromEntries(Object.entries(delivered.headers).map(([name, value]) => [name, String(value)]))
    assert.deepStrictEqual(new Webhook(secret).verify(delivered.body, headers), envelope)
    const [, timestamp, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? []
    assert.strictEqual(digest, createHmac("sha256", secret).update(`${timestamp}.${delivered.body}`).digest("hex"))
  })

  it("reports a pause instead of a success, and a failure with its error", async () => {
    const { receiver } = await register(undefined, ["run.paused", "run.failed"])
    const paused = await finished(await trigger({ steps: [{ ask: "Shall I?", interrupt: { amount: "3.00" } }] }))
    assert.deepInclude(paused, { status: "succeeded", paused: true, message: "Shall I?" })
    const failed = await finished(await trigger({ steps: [{ fail: "no luck" }] }))
    assert.deepInclude(failed, { status: "failed", error: "no luck", error_code: "agent_error" })
    await finished(await trigger({}))
    await until("both events arrive", () => receiver.received.length >= 2 || undefined)
    const events = receiver.received.map(({ body }) => JSON.parse(body))
    assert.sameMembers(
      events.map((event) => event.type),
      ["run.paused", "run.failed"]
    )
    const data = events.find((event) => event.type === "run.paused").data
    assert.deepInclude(data, { message: "Shall I?", interrupt: { amount: "3.00" }, interrupt_truncated: false })
  })

  it("schedules the first retry exactly one minute after the failure, and replays the same event", async () => {
    const { id, receiver } = await register((number) => (number === 1 ? 503 : 200), ["run.failed"])
    await trigger({ steps: [{ fail: "once" }] })
    const [pending] = await until("the failure is settled", async () => {
      const items = await deliveries(id)
      return items[0]?.attempts.length === 1 ? items : undefined
    })
    const [attempt] = pending!.attempts
    assert.strictEqual(pending!.state, "pending")
    assert.strictEqual(attempt!.response_code, 503)
    const failedAt = Date.parse(attempt!.attempted_at) + attempt!.duration_ms
    assert.strictEqual(Date.parse(pending!.next_attempt_at!) - failedAt, 60_000)

    const path = `/api/v1/org/webhooks/${id}/deliveries/${pending!.delivery_id}/replay`
    const replayed = await api.ask(database.credentials.org_key, "POST", path)
    assert.strictEqual(replayed.status, 202)
    const [delivered] = await until("the replay is delivered", async () => {
      const items = await deliveries(id)
      return items[0]?.state === "delivered" ? items : undefined
    })
    assert.deepStrictEqual(
      delivered!.attempts.map((one) => one.response_code),
      [503, 200]
    )
    const [first, second] = receiver.received
    assert.strictEqual(second!.headers["x-service-event-id"], first!.headers["x-service-event-id"])
    assert.strictEqual(second!.body, first!.body)
  })

  it("keeps the names of a result as they were written, whatever names its processes have read before", async () => {
    const { agent_id, workspace_key } = database.credentials
    // By texts: this process may read names wrongly as well.
    const returned = async (result: string) => {
      const ask = async (path: string, init: RequestInit = {}) => {
        const headers = { authorization: `Bearer ${workspace_key}`, "content-type": "application/json" }
        return (await fetch(`http://127.0.0.1:${api.port}/api/v1/runs/${path}`, { ...init, headers })).text()
      }
      const body = `{"agent_id":"${agent_id}","input":{"steps":[{"return":${result}}]}}`
      const accepted = await ask("", { method: "POST", body })
      const [, runId = ""] = /"run_id":"([^"]+)"/.exec(accepted) ?? []
      return ask(`${runId}?wait_seconds=${WAIT_SECONDS}`)
    }
    assert.include(await returned(String.raw`{"k":[],"\\":0}`), String.raw`"result":{"k":[],"\\":0}`)
    const read = await returned(String.raw`{"k":1,"\n":2,"\u00e9":{"k":1,"\"":3}}`)
    assert.include(read, String.raw`"result":{"k":1,"\n":2,"é":{"k":1,"\"":3}}`)
  })

  it("reads one run by long-polling without waiting for the whole time", async () => {
    const started = performance.now()
    assert.deepInclude(await finished(await trigger({ steps: [{ sleep_ms: 50 }] })), { status: "succeeded" })
    assert.isBelow(performance.now() - started, WAIT_SECONDS * 1000)
  })
})
