import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { CONNECTION_MILLIS_MAX, EgressGuard } from "../src/index.ts"
import { localGuard, send, serveHttp, serveHttps, TEST_CA } from "./support.ts"

describe("a kept connection", () => {
  it.effect("serves the next request with the same origin", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps(({ response }) => response.end("kept"))
      const first = yield* send(`${server.origin}/1`)
      const second = yield* send(`${server.origin}/2`, { method: "POST", body: "{}" })
      assert.strictEqual(server.connections(), 1)
      assert.strictEqual(second.remoteAddress, first.remoteAddress)
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("is used by one request at a time", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp()
      const waiting = yield* Effect.forkChild(
        Effect.all([send(server.origin), send(server.origin)], { concurrency: 2 })
      )
      const arrivals = [yield* server.arrived, yield* server.arrived]
      assert.strictEqual(server.connections(), 2)
      for (const { response } of arrivals) response.end()
      yield* Fiber.join(waiting)
      yield* Effect.all([Effect.forkChild(send(server.origin)), Effect.forkChild(send(server.origin))])
      yield* server.arrived
      yield* server.arrived
      assert.strictEqual(server.connections(), 2)
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("serves no other origin", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps(({ response }) => response.end())
      yield* send(`https://127.0.0.1:${server.port}/`)
      yield* send(`https://localhost:${server.port}/`)
      assert.strictEqual(server.connections(), 2)
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("is closed five minutes after it opened, and the next request opens another", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps(({ response }) => response.end())
      yield* send(server.origin)
      yield* TestClock.adjust(CONNECTION_MILLIS_MAX - 1)
      yield* send(server.origin)
      assert.strictEqual(server.connections(), 1)
      yield* TestClock.adjust(1)
      yield* server.closed
      yield* send(server.origin)
      assert.strictEqual(server.connections(), 2)
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("lives as long as the option says", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => response.end())
      yield* send(server.origin)
      yield* TestClock.adjust(1_000)
      yield* server.closed
      yield* send(server.origin)
      assert.strictEqual(server.connections(), 2)
    }).pipe(Effect.provide(EgressGuard.layer({ allowLoopback: true, ca: TEST_CA, connectionMillisMax: 1_000 })))
  )

  it.effect("ends the request in flight when its time is over, and takes no other", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp()
      const waiting = yield* Effect.forkChild(send(server.origin, { deadlineMillis: 2 * CONNECTION_MILLIS_MAX }))
      const { response } = yield* server.arrived
      yield* TestClock.adjust(CONNECTION_MILLIS_MAX)
      response.end("late")
      assert.strictEqual((yield* Fiber.join(waiting)).status, 200)
      yield* server.closed
      yield* Effect.forkChild(send(server.origin))
      yield* server.arrived
      assert.strictEqual(server.connections(), 2)
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("is given up when the server closes it", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => response.setHeader("connection", "close").end())
      yield* send(server.origin)
      yield* send(server.origin)
      assert.strictEqual(server.connections(), 2)
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("is given up after a failure and after a cut", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => response.end("long"))
      yield* send(server.origin, { readBytesMax: 2 })
      yield* server.closed
      yield* send(server.origin)
      assert.strictEqual(server.connections(), 2)
    }).pipe(Effect.provide(localGuard))
  )
})
