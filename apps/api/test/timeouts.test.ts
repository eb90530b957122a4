/** How long the server waits: for bodies, for its stores, and for readers that have gone. */

import { connect } from "node:net"
import { ApiKeyStore } from "@agent-platform/keys"
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { BODY_SECONDS_MAX, SKIPPED_BYTES_MAX } from "../src/edge/readBody.ts"
import { ANSWER_SECONDS_MAX } from "../src/edge/within.ts"
import { UNKNOWN_ID } from "./endpoints.ts"
import { givenWebhook } from "./inbound.ts"
import { Listeners, layerListeners } from "./listeners.ts"
import { anAgent, layer as layerApi, layerMemory, layerOver, TestApi } from "./support.ts"

/** A connection over which a request was sent, and what comes back. */
const send = Effect.fnUntraced(function* (head: string) {
  const { port } = yield* TestApi
  const chunks = yield* Queue.unbounded<string>()
  const closed = yield* Deferred.make<void>()
  const socket = connect(port, "127.0.0.1").setEncoding("latin1")
  socket.on("data", (chunk) => Queue.offerUnsafe(chunks, String(chunk)))
  socket.on("error", () => undefined)
  socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
  socket.write(`${head}\r\nHost: a\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n`)
  return { socket, next: Queue.take(chunks), closed: Deferred.await(closed) }
})

layer(layerApi)("a body that does not arrive", (it) => {
  it.effect("is waited for 30 seconds and answered with 408", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const { closed, next, socket } = yield* send("POST /api/v1/agents HTTP/1.1")
      socket.write(`X-API-Key: ${workspaceKey}\r\nContent-Length: 100\r\n\r\n`)
      assert.match(yield* next, /^HTTP\/1.1 100 /)
      socket.write('{"name":')
      yield* TestClock.adjust(`${BODY_SECONDS_MAX} seconds`)
      const answer = yield* next
      assert.match(answer, /^HTTP\/1.1 408 /)
      assert.include(answer, '"code":"request_timeout"')
      yield* closed
    })
  )

  it.effect("is answered with 408 by an inbound URL, too", () =>
    Effect.gen(function* () {
      const { hook } = yield* givenWebhook()
      const { closed, next, socket } = yield* send(`POST ${hook} HTTP/1.1`)
      socket.write("Content-Length: 100\r\n\r\n")
      assert.match(yield* next, /^HTTP\/1.1 100 /)
      socket.write("{")
      yield* TestClock.adjust(`${BODY_SECONDS_MAX} seconds`)
      assert.match(yield* next, /^HTTP\/1.1 408 /)
      yield* closed
    })
  )
})

layer(layerApi)("a body that does not end", (it) => {
  it.effect("is answered with 413 once so much of it was skipped, and not after all the time that there is", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const { closed, next, socket } = yield* send("POST /api/v1/agents HTTP/1.1")
      socket.write(`X-API-Key: ${workspaceKey}\r\nContent-Length: 1000000000\r\n\r\n`)
      assert.match(yield* next, /^HTTP\/1.1 100 /)
      socket.write(" ".repeat(SKIPPED_BYTES_MAX + 1024 * 1024))
      assert.match(yield* next, /^HTTP\/1.1 413 /)
      yield* closed
    })
  )
})

class Asked extends Context.Service<Asked, Deferred.Deferred<void>>()("Asked") {}

/** Somebody has given up waiting for the store. */
class GivenUp extends Context.Service<GivenUp, Deferred.Deferred<void>>()("GivenUp") {}

const layerStuck = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const asked = yield* Deferred.make<void>()
    const givenUp = yield* Deferred.make<void>()
    const never = Effect.onInterrupt(Effect.never, () => Deferred.succeed(givenUp, undefined))
    return Context.make(Asked, asked).pipe(
      Context.add(GivenUp, givenUp),
      Context.add(ApiKeyStore, {
        ...store,
        findByHash: () => Effect.andThen(Deferred.succeed(asked, undefined), never)
      })
    )
  })
)

layer(layerOver(Layer.provideMerge(layerStuck, layerMemory)))("a store that does not answer", (it) => {
  it.effect("is waited for 30 seconds and answered for with 503, also where more waiting was asked for", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const call = yield* Effect.forkChild(api.call("GET", "/api/v1/runs/x?wait_seconds=60", { key: workspaceKey }))
      yield* Deferred.await(yield* Asked)
      yield* TestClock.adjust(`${ANSWER_SECONDS_MAX} seconds`)
      const { json, status } = yield* Fiber.join(call)
      assert.strictEqual(`${status} ${json["code"]}`, "503 unavailable")
    })
  )
})

layer(layerOver(Layer.provideMerge(layerStuck, layerMemory)))("a store that does not answer a poll", (it) => {
  it.effect("is not waited for once the reader has gone away", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const socket = connect(api.port, "127.0.0.1")
      socket.write(`GET /api/v1/runs/${UNKNOWN_ID} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${workspaceKey}\r\n\r\n`)
      yield* Deferred.await(yield* Asked)
      socket.destroy()
      yield* Deferred.await(yield* GivenUp)
    })
  )
})

layer(layerOver(Layer.provideMerge(layerListeners, layerMemory)), { excludeTestServices: true })(
  "a reader that goes away",
  (it) => {
    it.effect("leaves nothing behind, neither of a stream nor of a wait", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const counts = yield* Listeners
        const agent_id = yield* anAgent(tenant)
        const key = tenant.workspaceKey
        const run = yield* api.call("POST", "/api/v1/runs/", { key, body: { agent_id } })
        for (const path of [
          `/api/v1/runs/${run.json["run_id"]}/logs`,
          `/api/v1/runs/${run.json["run_id"]}?wait_seconds=60`
        ]) {
          const socket = connect(api.port, "127.0.0.1")
          socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`)
          assert.strictEqual(yield* Queue.take(counts), 1)
          socket.destroy()
          assert.strictEqual(yield* Queue.take(counts), 0)
        }
      })
    )
  }
)
