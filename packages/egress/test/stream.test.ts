import { Egress, type RequestFailed, type StreamRequest, Transaction } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { type Cause, Deferred, Effect, Exit, Fiber, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Fault } from "../src/failures.ts"
import { makeInbox } from "../src/streamAnswer.ts"
import { localGuard, serveHttp, serveHttps, serveTcp, textOf } from "./support.ts"

const open = (url: string, overrides: Partial<StreamRequest> = {}) =>
  Egress.use((egress) =>
    egress.stream({
      purpose: "agents",
      method: "POST",
      url,
      headers: {},
      body: "{}",
      deadlineMillis: 60_000,
      silenceMillis: 10_000,
      bytesMax: 1_000_000,
      ...overrides
    })
  )

/** All of the body as text, and how it failed if it did. */
const readAll = (body: Stream.Stream<Uint8Array, RequestFailed>) =>
  Effect.gen(function* () {
    let text = ""
    const exit = yield* Effect.exit(
      Stream.runForEach(body, (piece) =>
        Effect.sync(() => {
          text += textOf(piece)
        })
      )
    )
    const failed = Exit.isFailure(exit) ? yield* Effect.flip(exit) : undefined
    return { text, failed }
  })

describe("a streamed request", () => {
  it.effect("answers status, headers and peer at once, and the body as it comes", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps(({ response }) => {
        response.writeHead(201, { "x-kind": "test" }).write("one")
      })
      const answer = yield* open(server.origin)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers["x-kind"], "test")
      assert.strictEqual(answer.remoteAddress, "127.0.0.1")
      const first = yield* Deferred.make<string>()
      const reading = yield* Effect.forkChild(
        readAll(Stream.tap(answer.body, (piece) => Deferred.succeed(first, textOf(piece))))
      )
      assert.strictEqual(yield* Deferred.await(first), "one")
      const { response } = yield* server.arrived
      response.end("two")
      assert.deepStrictEqual(yield* Fiber.join(reading), { text: "onetwo", failed: undefined })
    }).pipe(Effect.scoped, Effect.provide(localGuard))
  )

  it.effect("asks for no compression, and refuses it", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ request, response }) => {
        response.writeHead(200, request.url === "/gzip" ? { "content-encoding": "gzip" } : {})
        response.end(request.headers["accept-encoding"])
      })
      const { body } = yield* open(server.origin, { headers: { "Accept-Encoding": "gzip" } })
      assert.strictEqual((yield* readAll(body)).text, "identity")
      const refused = yield* Effect.flip(open(`${server.origin}/gzip`))
      assert.strictEqual(refused.reason, "protocol_error")
    }).pipe(Effect.scoped, Effect.provide(localGuard))
  )

  it.effect("fails where the body breaks off, however it was framed", () =>
    Effect.gen(function* () {
      for (const framing of ["content-length: 100", "transfer-encoding: chunked"]) {
        const server = yield* serveTcp((socket) => {
          socket.once("data", () => {
            const begun = framing.startsWith("content") ? "half" : "4\r\nhalf\r\n"
            socket.end(`HTTP/1.1 200 OK\r\n${framing}\r\n\r\n${begun}`)
          })
        })
        const answer = yield* open(`http://127.0.0.1:${server.port}/`)
        const { failed, text } = yield* readAll(answer.body)
        assert.strictEqual(text, "half", framing)
        assert.include(["connection_lost", "protocol_error"], failed?.reason, framing)
      }
    }).pipe(Effect.scoped, Effect.provide(localGuard))
  )

  it.effect("fails as too_large beyond its bound, and closes the connection", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => {
        response.write("x".repeat(2_000))
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { body } = yield* open(server.origin, { bytesMax: 1_000 })
          assert.strictEqual((yield* readAll(body)).failed?.reason, "too_large")
        })
      )
      yield* server.closed
    }).pipe(Effect.scoped, Effect.provide(localGuard))
  )

  it.effect("fails as timeout when the answer does not begin, or nothing more comes", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ request, response }) => {
        if (request.url === "/begun") response.write("some")
      })
      const mute = yield* Effect.forkChild(Effect.scoped(open(server.origin)))
      yield* server.arrived
      yield* TestClock.adjust(10_000)
      assert.strictEqual((yield* Effect.flip(Fiber.join(mute))).reason, "timeout")
      const { body } = yield* open(`${server.origin}/begun`)
      const some = yield* Deferred.make<void>()
      const reading = yield* Effect.forkChild(readAll(Stream.tap(body, () => Deferred.succeed(some, undefined))))
      yield* Deferred.await(some)
      yield* TestClock.adjust(9_999)
      assert.isUndefined(reading.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(reading)).failed?.reason, "timeout")
    }).pipe(Effect.scoped, Effect.provide(localGuard))
  )

  it.effect("fails as timeout at its deadline, though something comes all the time", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => {
        const tap = setInterval(() => response.write("."), 2)
        response.once("close", () => clearInterval(tap))
      })
      const { body } = yield* open(server.origin, { deadlineMillis: 5_000 })
      const reading = yield* Effect.forkChild(readAll(body))
      yield* TestClock.adjust(5_000)
      assert.strictEqual((yield* Fiber.join(reading)).failed?.reason, "timeout")
    }).pipe(Effect.scoped, Effect.provide(localGuard))
  )

  it.effect("closes the connection when its reader is interrupted", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => response.write("some"))
      const some = yield* Deferred.make<void>()
      const reading = yield* Effect.forkChild(
        Effect.scoped(
          Effect.flatMap(open(server.origin), ({ body }) =>
            readAll(Stream.tap(body, () => Deferred.succeed(some, undefined)))
          )
        )
      )
      yield* Deferred.await(some)
      yield* Fiber.interrupt(reading)
      yield* server.closed
    }).pipe(Effect.scoped, Effect.provide(localGuard))
  )

  it.effect("keeps the connection of a body that was read whole, and no other", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => response.end("whole"))
      const once = Effect.scoped(Effect.flatMap(open(server.origin), ({ body }) => readAll(body)))
      yield* once
      yield* once
      assert.strictEqual(server.connections(), 1)
    }).pipe(Effect.scoped, Effect.provide(localGuard))
  )

  it.effect("holds a sender back while 64 KiB wait to be taken", () =>
    Effect.gen(function* () {
      const inbox = makeInbox(yield* Queue.make<Uint8Array, Fault | Cause.Done>(), 1_000_000)
      const piece = new Uint8Array(40_000)
      let resumed = 0
      const put = () => inbox.put(piece, () => void resumed++)
      assert.deepStrictEqual([put(), put(), put(), resumed], [true, false, false, 0])
      inbox.taken(piece)
      assert.strictEqual(resumed, 0)
      inbox.taken(piece)
      inbox.taken(piece)
      assert.deepStrictEqual([resumed, put()], [1, true])
    })
  )

  it.effect("refuses addresses and headers as every request does", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(open("https://10.0.0.1/"))
      assert.strictEqual(refused.reason, "address_refused")
      const server = yield* serveHttp()
      const framed = yield* Effect.flip(open(server.origin, { headers: { host: "other.example" } }))
      assert.strictEqual(framed.reason, "protocol_error")
      assert.strictEqual(server.requests(), 0)
    }).pipe(Effect.scoped, Effect.provide(localGuard))
  )

  it.effect("dies inside a transaction, before anything is sent", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp()
      const exit = yield* Effect.exit(open(server.origin).pipe(Effect.provideService(Transaction, { id: "open" })))
      assert.isTrue(Exit.hasDies(exit))
      assert.strictEqual(server.connections(), 0)
    }).pipe(Effect.scoped, Effect.provide(localGuard))
  )
})
