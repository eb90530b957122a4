/** A stopping server, as its callers see it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Listeners, layerListeners } from "./listeners.ts"
import { anAgent, layerMemory, layerOver, TestApi } from "./support.ts"

/** A server of its own, a queued run in it, and the way to stop the server. */
const servingFor = Effect.fnUntraced(function* (drainSeconds: number) {
  const scope = yield* Scope.make()
  const layer = layerOver(Layer.provideMerge(layerListeners, layerMemory), { drainSeconds })
  const context = yield* Layer.buildWithScope(layer, scope)
  const api = Context.get(context, TestApi)
  const tenant = yield* api.tenant
  const agent_id = yield* Effect.provideContext(anAgent(tenant), context)
  const key = tenant.workspaceKey
  const { json } = yield* api.call("POST", "/api/v1/runs/", { key, body: { agent_id } })
  return {
    api,
    counts: Context.get(context, Listeners),
    key,
    path: `/api/v1/runs/${json["run_id"]}`,
    stop: Scope.close(scope, Exit.void)
  }
})

const serving = servingFor(0)

describe("a server that stops", () => {
  it.live("ends event streams with a hint when to come back", () =>
    Effect.gen(function* () {
      const { api, key, path, stop } = yield* serving
      const response = yield* api.fetch("GET", `${path}/logs`, { key })
      const text = yield* Effect.forkChild(Effect.promise(() => response.text()))
      yield* stop
      assert.match(yield* Fiber.join(text), /(^|\n\n): this server is going away\nretry: 1000\n\n$/)
    })
  )

  it.live("answers those who wait with the run as it is, and closes their connections", () =>
    Effect.gen(function* () {
      const { api, counts, key, path, stop } = yield* serving
      const waiting = yield* Effect.forkChild(api.call("GET", `${path}?wait_seconds=60`, { key }))
      assert.strictEqual(yield* Queue.take(counts), 1)
      yield* stop
      const { headers, json, status } = yield* Fiber.join(waiting)
      assert.strictEqual(`${status} ${json["status"]}`, "200 queued")
      assert.strictEqual(headers.get("connection"), "close")
    })
  )

  it.live("takes no new connections", () =>
    Effect.gen(function* () {
      const { api, stop } = yield* serving
      yield* stop
      const outcome = yield* Effect.promise(() =>
        fetch(`${api.url}/healthz`).then(
          () => "answered",
          () => "refused"
        )
      )
      assert.strictEqual(outcome, "refused")
    })
  )
})

describe("a server that is asked to stop and has time for it", () => {
  /** A server that has announced its end, and what it takes to begin it. */
  const announced = Effect.gen(function* () {
    const server = yield* servingFor(10)
    const response = yield* server.api.fetch("GET", `${server.path}/logs`, { key: server.key })
    const log = yield* Effect.forkChild(Effect.promise(() => response.text()))
    const waiting = yield* Effect.forkChild(
      server.api.call("GET", `${server.path}?wait_seconds=60`, { key: server.key })
    )
    // The log and the wait.
    while ((yield* Queue.take(server.counts)) < 2) yield* Effect.yieldNow
    const stopping = yield* Effect.forkChild(server.stop)
    yield* server.api
      .call("GET", "/readyz")
      .pipe(Effect.repeat({ until: ({ status }) => status === 503 }), TestClock.withLive)
    return { ...server, log, stopping, waiting }
  })

  it.effect("is not ready and says why, lives, and serves over connections that it closes", () =>
    Effect.gen(function* () {
      const { api, key, path, stopping } = yield* announced
      const ready = yield* api.call("GET", "/readyz")
      assert.strictEqual(`${ready.status} ${ready.json["detail"]}`, "503 This server is being stopped")
      assert.strictEqual((yield* api.call("GET", "/healthz")).status, 200)
      const read = yield* api.call("GET", path, { key })
      assert.strictEqual(`${read.status} ${read.headers.get("connection")}`, "200 close")
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(stopping)
    })
  )

  it.effect("ends streams and waits once that time is over, and not before", () =>
    Effect.gen(function* () {
      const { api, key, log, path, stopping, waiting } = yield* announced
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual((yield* api.call("GET", path, { key })).status, 200)
      assert.isUndefined(log.pollUnsafe())
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.match(yield* Fiber.join(log), /: this server is going away\nretry: 1000\n\n$/)
      assert.strictEqual(String((yield* Fiber.join(waiting)).json["status"]), "queued")
      yield* Fiber.join(stopping)
    })
  )
})
