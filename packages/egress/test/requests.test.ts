import { gzipSync } from "node:zlib"
import { Egress, type RequestFailed, Transaction } from "@agent-platform/kernel"
import { egressContract } from "@agent-platform/kernel/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { aRequest, localGuard, send, serveHttp, textOf } from "./support.ts"

egressContract(
  "the guard",
  localGuard,
  Effect.map(
    serveHttp(({ request, response }) => {
      if (request.url === "/answering") response.writeHead(201).end("made")
      if (request.url === "/failing") response.destroy()
    }),
    ({ origin }) => ({
      answering: `${origin}/answering`,
      failing: `${origin}/failing`,
      silent: `${origin}/silent`
    })
  )
)

describe("a request that was begun", () => {
  it.effect("is refused by the rules of one that is waited for", () =>
    Effect.gen(function* () {
      const reasons: Array<string | undefined> = []
      const record = (exit: Exit.Exit<unknown, RequestFailed>) =>
        reasons.push(Option.getOrUndefined(Exit.findErrorOption(exit))?.reason)
      const egress = yield* Egress
      for (const request of [
        aRequest("http://10.0.0.1/"),
        aRequest("https://example.com/", { headers: { host: "a" } })
      ]) {
        egress.begin(request, record)
      }
      assert.deepStrictEqual(reasons, ["address_refused", "protocol_error"])
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("closes its connection when it is called off", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp()
      const callOff = (yield* Egress).begin(aRequest(server.origin), () => {})
      yield* server.arrived
      callOff()
      yield* server.closed
    }).pipe(Effect.provide(localGuard))
  )

  // Otherwise the next caller of the host would wait for the rest of an answer that is not theirs.
  it.live("leaves its connection where a compressed body ended and the answer did not", () =>
    Effect.gen(function* () {
      const body = Buffer.concat([gzipSync("made"), Buffer.alloc(4)])
      const server = yield* serveHttp(({ response }) => {
        response.writeHead(200, { "content-encoding": "gzip", "content-length": body.length + 1 }).write(body)
      })
      for (let calls = 1; calls <= 2; calls++) {
        const answer = yield* send(server.origin, { deadlineMillis: 5_000 })
        assert.strictEqual(textOf(answer.body), "made")
        assert.strictEqual(server.connections(), calls)
      }
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("dies inside a transaction, before anything is sent", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => response.end())
      const begin = Egress.use((egress) => Effect.sync(() => egress.begin(aRequest(server.origin), () => {})))
      const exit = yield* Effect.exit(Effect.provideService(begin, Transaction, { id: "open" }))
      assert.isTrue(Exit.hasDies(exit))
      assert.strictEqual(server.connections(), 0)
    }).pipe(Effect.provide(localGuard))
  )
})
