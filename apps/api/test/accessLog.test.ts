/** Log lines and figures of requests. docs/operations.md, Logs and Metrics. */
import { PinoLogger } from "@agent-platform/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Metric, Schedule } from "effect"
import { openStream } from "./eventStream.ts"
import { anAgent, layerMemory, layerOver, type Tenant, TestApi } from "./support.ts"

type Line = Readonly<Record<string, unknown>>

/** The API with a log that a test reads, and with figures of its own. */
const watched = <A, E, R>(test: (lines: ReadonlyArray<Line>) => Effect.Effect<A, E, R>) => {
  const lines: Array<Line> = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const logger = PinoLogger.layer({ level: "info", app: "api", pretty: false, destination })
  return test(lines).pipe(
    Effect.scoped,
    Effect.provide(layerOver(layerMemory, { logger })),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
}

/** The first line that fits; what is answered may be logged a moment later. */
const lineOf = (lines: ReadonlyArray<Line>, fits: (line: Line) => boolean) =>
  Effect.suspend(() => Effect.succeed(lines.find(fits))).pipe(
    Effect.repeat({ until: (line) => line !== undefined, schedule: Schedule.spaced("10 millis") }),
    Effect.timeout("5 seconds")
  )

const aRun = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  const body = { agent_id: yield* anAgent(tenant), message: "a message of the caller's" }
  const { json } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
  return String(json["run_id"])
})

const secondsOf = (route: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const one = all.find(
      ({ attributes, id }) =>
        id === "agent_platform_http_request_duration_seconds" &&
        attributes?.["route"] === route &&
        attributes["method"] === "GET"
    )
    return one?.type === "Histogram" ? one.state : undefined
  })

describe("the line of a request in the log", () => {
  it.live("names who asked for what, and how it went, without anything that the caller wrote", () =>
    watched((lines) =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        yield* aRun(tenant)
        const { json: me } = yield* api.call("GET", "/api/v1/auth/me", { key: tenant.workspaceKey })
        yield* api.call("GET", "/api/v1/runs/?tag=of-a-query", {
          key: tenant.workspaceKey,
          headers: { "x-request-id": "asked-1", traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-00` }
        })
        const line = yield* lineOf(lines, ({ request_id }) => request_id === "asked-1")
        const { duration_ms, time, ...rest } = line ?? {}
        assert.isNumber(time)
        assert.isAtLeast(Number(duration_ms), 0)
        assert.deepStrictEqual(rest, {
          level: 30,
          app: "api",
          request_id: "asked-1",
          trace_id: "a".repeat(32),
          workspace_id: tenant.workspaceId,
          key_id: String(me["auth"]?.["key_id"]),
          method: "GET",
          route: "/api/v1/runs/",
          status: 200,
          msg: `GET /api/v1/runs/ 200 ${Math.round(Number(duration_ms))} ms`
        })
        const all = JSON.stringify(lines)
        for (const secret of [tenant.workspaceKey, "of-a-query", "a message of the caller's"])
          assert.notInclude(all, secret)
      })
    )
  )

  it.live("is one for each request, also for those that are refused, and names the key where it is known", () =>
    watched((lines) =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const narrow = yield* api.keyWith(tenant, { scopes: ["agents:read"] })
        const asked = [
          ["no-key", {}],
          ["wrong-key", { key: "nonsense" }],
          ["narrow-key", { key: narrow }],
          ["good-key", { key: tenant.workspaceKey }]
        ] as const
        for (const [id, call] of asked) {
          yield* api.call("GET", "/api/v1/runs/", { ...call, headers: { "x-request-id": id } })
        }
        yield* lineOf(lines, ({ request_id }) => request_id === "good-key")
        const said = lines.flatMap(({ key_id, msg, request_id, status, workspace_id }) =>
          String(msg).startsWith("GET /api/v1/runs/")
            ? [[request_id, status, key_id !== undefined, workspace_id === tenant.workspaceId]]
            : []
        )
        assert.deepStrictEqual(said, [
          ["no-key", 401, false, false],
          ["wrong-key", 401, false, false],
          ["narrow-key", 403, true, true],
          ["good-key", 200, true, true]
        ])
      })
    )
  )

  it.live("is not there for probes, which are counted all the same", () =>
    watched((lines) =>
      Effect.gen(function* () {
        const api = yield* TestApi
        yield* api.call("GET", "/healthz")
        yield* api.call("GET", "/readyz")
        yield* api.call("GET", "/no/such/address")
        yield* lineOf(lines, ({ route }) => route === "unknown")
        const routes = lines.flatMap(({ route }) => (route === undefined ? [] : [route]))
        assert.deepStrictEqual(routes, ["unknown"])
        assert.strictEqual((yield* secondsOf("/healthz"))?.count, 1)
      })
    )
  )

  it.live("is there for a request whose caller has gone", () =>
    watched((lines) =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const run = yield* aRun(tenant)
        const asking = yield* Effect.forkChild(
          api.fetch("GET", `/api/v1/runs/${run}?wait_seconds=60`, { key: tenant.workspaceKey })
        )
        yield* Effect.repeat(inFlight, { until: (count) => count > 0, schedule: Schedule.spaced("5 millis") })
        yield* Fiber.interrupt(asking)
        const line = yield* lineOf(lines, ({ status }) => status === 499)
        assert.deepInclude(line, { route: "/api/v1/runs/{run_id}", workspace_id: tenant.workspaceId })
      })
    )
  )
})

/** Waiting answers and streams that are open. */
const inFlight = Effect.map(Metric.snapshot, (all) => {
  const one = all.find(({ id }) => id === "agent_platform_streams_open")
  return one?.type === "Gauge" ? Number(one.state.value) : 0
})

describe("how long requests took", () => {
  it.live("is without the time that a caller asked to wait, which the log says beside it", () =>
    watched((lines) =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const run = yield* aRun(tenant)
        yield* api.call("GET", `/api/v1/runs/${run}?wait_seconds=2`, { key: tenant.workspaceKey })
        const line = yield* lineOf(lines, ({ waited_ms }) => waited_ms !== undefined)
        assert.isAtLeast(Number(line?.["duration_ms"]), 1_900)
        assert.isAtLeast(Number(line?.["waited_ms"]), 1_900)
        const state = yield* secondsOf("/api/v1/runs/{run_id}")
        assert.strictEqual(state?.count, 1)
        assert.isBelow(Number(state?.sum), 1)
      })
    )
  )

  it.live("is until a stream begins, not until it ends", () =>
    watched((lines) =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const run = yield* aRun(tenant)
        yield* openStream(`/api/v1/runs/${run}/logs`, { key: tenant.workspaceKey })
        yield* lineOf(lines, ({ route }) => route === "/api/v1/runs/{run_id}/logs")
        assert.isAbove(yield* inFlight, 0)
        assert.strictEqual((yield* secondsOf("/api/v1/runs/{run_id}/logs"))?.count, 1)
      })
    )
  )

  it.live("is put into buckets that promises are made about", () =>
    watched(() =>
      Effect.gen(function* () {
        const api = yield* TestApi
        yield* api.call("GET", "/healthz")
        const bounds = (yield* secondsOf("/healthz"))?.buckets.map(([bound]) => bound).filter(Number.isFinite)
        assert.deepStrictEqual(bounds, [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
      })
    )
  )

  it.live("is not told apart by methods that nobody knows", () =>
    watched(() =>
      Effect.gen(function* () {
        const api = yield* TestApi
        yield* api.call("PROPFIND", "/api/v1/runs/")
        const methods = (yield* Metric.snapshot).map(({ attributes }) => attributes?.["method"])
        assert.include(methods, "_other")
        assert.notInclude(methods, "PROPFIND")
      })
    )
  )
})
