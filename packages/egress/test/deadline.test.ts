import { Egress } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { EgressGuard } from "../src/index.ts"
import { aRequest, localGuard, send, serveHttp, serveHttps, serveTcp } from "./support.ts"

const DEADLINE_MILLIS = 15_000

/** Lets the deadline pass and gives the failure of the request that waited. */
const afterDeadline = <A, E>(waiting: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    yield* TestClock.adjust(DEADLINE_MILLIS - 1)
    assert.isUndefined(waiting.pollUnsafe())
    yield* TestClock.adjust(1)
    return yield* Effect.flip(Fiber.join(waiting))
  })

describe("the deadline of a request", () => {
  it.effect("cuts off a server that hangs, and closes the connection", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps()
      const waiting = yield* Effect.forkChild(send(server.origin, { deadlineMillis: DEADLINE_MILLIS }))
      yield* server.arrived
      const failed = yield* afterDeadline(waiting)
      assert.strictEqual(failed.reason, "timeout")
      assert.strictEqual(failed.remoteAddress, "127.0.0.1")
      assert.strictEqual(failed.durationMillis, DEADLINE_MILLIS)
      yield* server.closed
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("cuts off a body that drips", () =>
    Effect.gen(function* () {
      const dripping = yield* Deferred.make<void>()
      const server = yield* serveHttp(({ response }) => {
        let drops = 0
        const tap = setInterval(() => {
          response.write(".")
          drops += 1
          if (drops === 5) Deferred.doneUnsafe(dripping, Effect.void)
        }, 2)
        response.once("close", () => clearInterval(tap))
      })
      const waiting = yield* Effect.forkChild(send(server.origin, { deadlineMillis: DEADLINE_MILLIS }))
      yield* Deferred.await(dripping)
      assert.strictEqual((yield* afterDeadline(waiting)).reason, "timeout")
      yield* server.closed
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("holds over the TLS handshake, and closes the half-open connection", () =>
    Effect.gen(function* () {
      const greeted = yield* Deferred.make<void>()
      const server = yield* serveTcp((socket) => socket.once("data", () => Deferred.doneUnsafe(greeted, Effect.void)))
      const waiting = yield* Effect.forkChild(
        send(`https://127.0.0.1:${server.port}/`, { deadlineMillis: DEADLINE_MILLIS })
      )
      yield* Deferred.await(greeted)
      const failed = yield* afterDeadline(waiting)
      assert.strictEqual(failed.reason, "timeout")
      assert.isNull(failed.remoteAddress)
      yield* server.closed
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("holds over the name look-up", () =>
    Effect.gen(function* () {
      const question = yield* Deferred.make<void>()
      const guard = EgressGuard.layer({
        allowLoopback: false,
        resolver: () => Effect.andThen(Deferred.succeed(question, undefined), Effect.never)
      })
      const waiting = yield* Effect.forkChild(
        send("https://mute.example/", { deadlineMillis: 3_000 }).pipe(Effect.provide(guard))
      )
      yield* Deferred.await(question)
      yield* TestClock.adjust(3_000)
      assert.strictEqual((yield* Effect.flip(Fiber.join(waiting))).reason, "timeout")
    })
  )

  it.live("runs on the real clock too", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp()
      const failed = yield* Effect.flip(send(server.origin, { deadlineMillis: 100 }))
      assert.strictEqual(failed.reason, "timeout")
      assert.isAtLeast(failed.durationMillis, 99)
    }).pipe(Effect.provide(localGuard))
  )
})

describe("interruption of a request", () => {
  it.effect("closes the connection of a request in flight", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps()
      const waiting = yield* Effect.forkChild(send(server.origin))
      yield* server.arrived
      yield* Fiber.interrupt(waiting)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(waiting)))
      yield* server.closed
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("closes the connection half way through the body", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => {
        response.writeHead(200, { "content-length": 100 }).write("half")
      })
      const waiting = yield* Effect.forkChild(send(server.origin))
      yield* server.arrived
      yield* Fiber.interrupt(waiting)
      yield* server.closed
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("closes a connection that is still shaking hands", () =>
    Effect.gen(function* () {
      const greeted = yield* Deferred.make<void>()
      const server = yield* serveTcp((socket) => socket.once("data", () => Deferred.doneUnsafe(greeted, Effect.void)))
      const waiting = yield* Effect.forkChild(send(`https://127.0.0.1:${server.port}/`))
      yield* Deferred.await(greeted)
      yield* Fiber.interrupt(waiting)
      yield* server.closed
    }).pipe(Effect.provide(localGuard))
  )
})

describe("the end of a guard's scope", () => {
  it.effect("closes kept connections and fails what is in flight", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ request, response }) => {
        if (request.url === "/quick") response.end()
      })
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(localGuard, scope)
      const egress = yield* Effect.provideContext(Effect.service(Egress), context)
      yield* egress.send(aRequest(`${server.origin}/quick`))
      yield* server.arrived
      const waiting = yield* Effect.forkChild(egress.send(aRequest(`${server.origin}/slow`)))
      yield* server.arrived
      const other = yield* Effect.forkChild(egress.send(aRequest(`${server.origin}/slow`)))
      yield* server.arrived
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Effect.flip(Fiber.join(waiting))).reason, "connection_lost")
      assert.strictEqual((yield* Effect.flip(Fiber.join(other))).reason, "connection_lost")
      yield* server.closed
      yield* server.closed
      const late = yield* Effect.flip(egress.send(aRequest(`${server.origin}/quick`)))
      assert.strictEqual(late.reason, "connect_failed")
      assert.strictEqual(server.connections(), 2)
    })
  )
})
