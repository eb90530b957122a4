/** How many streams and waiting answers may be open. docs/http.md, Streams. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Metric, Queue, Schedule } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { openStream } from "./eventStream.ts"
import { Listeners, layerListeners } from "./listeners.ts"
import { anAgent, layerMemory, layerOver, type Tenant, TestApi, type TestOptions } from "./support.ts"

const NOTICES = "/api/v1/notifications/stream"
const EVENTS = "/api/v1/org/webhooks/stream"

const serving = (streams: NonNullable<TestOptions["streams"]>) =>
  Effect.provide(layerOver(Layer.provideMerge(layerListeners, layerMemory), { streams }))

/** A run that nobody executes. */
const queued = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  const body = { agent_id: yield* anAgent(tenant) }
  const { json } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
  return `/api/v1/runs/${json["run_id"]}`
})

/** Opens a stream that must be let in. */
const opened = Effect.fnUntraced(function* (path: string, key: string, headers: Record<string, string> = {}) {
  const stream = yield* openStream(path, { key, headers })
  assert.strictEqual(stream.response.status, 200, path)
  return stream
})

/** Asks for what must be refused, and answers whose limit it was. */
const refused = Effect.fnUntraced(function* (path: string, key: string, method = "GET", body?: object) {
  const api = yield* TestApi
  const response = yield* api.fetch(method, path, { key, ...(body === undefined ? {} : { body }) })
  assert.strictEqual(response.status, 429, path)
  const { code, detail } = yield* Effect.promise(() => response.json() as Promise<Record<string, string>>)
  assert.strictEqual(code, "too_many_streams")
  assert.strictEqual(response.headers.get("retry-after"), "5")
  return /^(?:The|This) \w+/.exec(detail ?? "")?.[0]
})

describe("streams and waiting answers", () => {
  it.live("are shown at 0 before there is one, and so are refusals for each limit", () =>
    Effect.gen(function* () {
      const lines = (yield* PrometheusMetrics.format()).split("\n")
      const limits = ["credential", "workspace", "organization", "process", "records"]
      assert.includeMembers(lines, [
        "agent_platform_streams_open 0",
        ...limits.map((limit) => `agent_platform_stream_refusals_total{limit="${limit}"} 0`),
        ...["api_key", "workspace"].map((limit) => `agent_platform_rate_limit_refusals_total{limit="${limit}"} 0`)
      ])
    }).pipe(
      serving({ perCredential: 1, perWorkspace: 1, perProcess: 1 }),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )

  it.live("of one credential are refused beyond its limit, in whatever form they come, and admitted again", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const path = yield* queued(tenant)
      const key = tenant.workspaceKey
      const stream = yield* opened(`${path}/logs`, key)
      yield* opened(`${path}/logs`, key, { accept: "application/x-ndjson" })
      for (const one of [`${path}/logs`, NOTICES, `${path}?wait_seconds=60`, `${path}/record`]) {
        assert.strictEqual(yield* refused(one, key), "The credential")
      }
      assert.strictEqual((yield* api.call("GET", path, { key })).status, 200)
      const page = yield* api.call("GET", `${path}/logs`, { key, headers: { accept: "application/json" } })
      assert.strictEqual(page.status, 200)
      yield* stream.close
      const isAdmitted = Effect.map(api.fetch("GET", `${path}/logs`, { key }), ({ status }) => status === 200)
      yield* Effect.repeat(isAdmitted, { until: (admitted) => admitted, schedule: Schedule.spaced("20 millis") })
    }).pipe(Effect.scoped, serving({ perCredential: 2, perWorkspace: 10, perProcess: 20 }))
  )

  it.live("count while an answer waits, and a run that may not be waited for is not accepted", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const path = yield* queued(tenant)
      const key = tenant.workspaceKey
      const waiting = yield* Effect.forkChild(api.call("GET", `${path}?wait_seconds=60`, { key }))
      assert.strictEqual(yield* Queue.take(yield* Listeners), 1)
      assert.strictEqual(yield* refused(`${path}/logs`, key), "The credential")
      const agent_id = yield* anAgent(tenant)
      const body = { agent_id, message: "Hello" }
      assert.strictEqual(yield* refused("/api/v1/runs/", key, "POST", { ...body, wait_seconds: 1 }), "The credential")
      const { json } = yield* api.call("GET", `/api/v1/runs/?agent_id=${agent_id}`, { key })
      assert.deepStrictEqual(json["items"] as unknown, [])
      assert.strictEqual((yield* api.call("POST", "/api/v1/runs/", { key, body })).status, 202)
      yield* Fiber.interrupt(waiting)
    }).pipe(Effect.scoped, serving({ perCredential: 1, perWorkspace: 10, perProcess: 20 }))
  )

  it.live("of one workspace are refused beyond its limit, whichever of its keys asks", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const other = yield* api.keyWith(tenant, {})
      yield* opened(NOTICES, tenant.workspaceKey)
      yield* opened(NOTICES, other)
      assert.strictEqual(yield* refused(NOTICES, tenant.workspaceKey), "The workspace")
      assert.strictEqual(yield* refused(NOTICES, yield* api.keyWith(tenant, {})), "The workspace")
      yield* opened(EVENTS, tenant.orgKey)
    }).pipe(Effect.scoped, serving({ perCredential: 2, perWorkspace: 2, perProcess: 20 }))
  )

  it.live("of one organization are half of what the process may hold, so that another one is served", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, stranger, third] = [yield* api.tenant, yield* api.tenant, yield* api.tenant]
      yield* opened(NOTICES, tenant.workspaceKey)
      yield* opened(EVENTS, tenant.orgKey)
      assert.strictEqual(yield* refused(EVENTS, tenant.orgKey), "The organization")
      yield* opened(EVENTS, stranger.orgKey)
      yield* opened(EVENTS, stranger.orgKey)
      assert.strictEqual(yield* refused(EVENTS, third.orgKey), "This process")
    }).pipe(Effect.scoped, serving({ perCredential: 3, perWorkspace: 3, perProcess: 4 }))
  )

  it.live("are not counted once they were answered: ended, refused, unknown, or asked for by HEAD", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const path = yield* queued(tenant)
      const key = tenant.workspaceKey
      const paths = [`${path}0/logs`, `${path}/logs?after=-1`, `${path}/record`, `${path}?wait_seconds=1`]
      for (const one of paths) {
        const { status } = yield* api.call("GET", one, { key })
        assert.notStrictEqual(status, 429, one)
      }
      assert.strictEqual((yield* api.call("HEAD", NOTICES, { key })).status, 200)
      yield* opened(NOTICES, key)
    }).pipe(Effect.scoped, serving({ perCredential: 1, perWorkspace: 1, perProcess: 2 }))
  )
})
