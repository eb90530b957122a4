/** A stopping server, as its callers see it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Queue, Scope } from "effect"
import { Listeners, layerListeners } from "./listeners.ts"
import { anAgent, layerMemory, layerOver, TestApi } from "./support.ts"

const layer = layerOver(Layer.provideMerge(layerListeners, layerMemory))

/** A server of its own, a queued run in it, and the way to stop the server. */
const serving = Effect.gen(function* () {
  const scope = yield* Scope.make()
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
