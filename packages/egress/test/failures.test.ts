import type { RequestFailed } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EgressGuard } from "../src/index.ts"
import { aResolver, localGuard, send, serveHttp, serveHttps, serveTcp } from "./support.ts"

const refused = <A, R>(effect: Effect.Effect<A, RequestFailed, R>) => Effect.flip(effect)

describe("a failed request", () => {
  it.effect("fails with protocol_error when the body is not what its encoding says", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => {
        response.writeHead(200, { "content-encoding": "gzip" }).end("this is no gzip")
      })
      assert.strictEqual((yield* refused(send(server.origin))).reason, "protocol_error")
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("fails with protocol_error when the answer is not HTTP", () =>
    Effect.gen(function* () {
      for (const answer of [
        "nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\r\nx: y\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"
      ]) {
        const server = yield* serveTcp((socket) => socket.end(answer))
        const failed = yield* refused(send(`http://127.0.0.1:${server.port}/`))
        assert.strictEqual(failed.reason, "protocol_error")
      }
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("fails with connection_lost when the server resets or leaves half way", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ request, response }) => {
        if (request.url === "/reset") return request.socket.resetAndDestroy()
        response.writeHead(200, { "content-length": 100 })
        response.write("half", () => request.socket.destroy())
      })
      for (const path of ["/reset", "/half"]) {
        const failed = yield* refused(send(`${server.origin}${path}`))
        assert.strictEqual(failed.reason, "connection_lost")
        assert.strictEqual(failed.remoteAddress, "127.0.0.1")
      }
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("fails with connect_failed when nobody listens", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(Effect.map(serveHttp(), (server) => server.port))
      const failed = yield* refused(send(`http://127.0.0.1:${port}/`))
      assert.strictEqual(failed.reason, "connect_failed")
      assert.isNull(failed.remoteAddress)
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("fails with tls_failed when the certificate is of an unknown authority", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps()
      assert.strictEqual((yield* refused(send(server.origin))).reason, "tls_failed")
      assert.strictEqual(server.requests(), 0)
    }).pipe(Effect.provide(EgressGuard.layer({ allowLoopback: true })))
  )

  it.effect("fails with tls_failed when the server speaks no TLS or leaves during the handshake", () =>
    Effect.gen(function* () {
      const plain = yield* serveHttp()
      const leaving = yield* serveTcp((socket) => socket.once("data", () => socket.destroy()))
      for (const { port } of [plain, leaving]) {
        assert.strictEqual((yield* refused(send(`https://127.0.0.1:${port}/`))).reason, "tls_failed")
      }
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("fails with dns_failed when the name does not resolve", () =>
    Effect.gen(function* () {
      const failed = yield* refused(send("https://unknown.example/"))
      assert.strictEqual(failed.reason, "dns_failed")
      assert.strictEqual(failed.detail, "The host does not resolve (ENOTFOUND)")
    }).pipe(Effect.provide(EgressGuard.layer({ allowLoopback: false, resolver: aResolver({}).resolver })))
  )

  it.effect("fails with address_refused for a URL that admission refuses too", () =>
    Effect.gen(function* () {
      for (const url of ["http://1.1.1.1/", "https://user:pw@1.1.1.1/", "https://10.0.0.1/", "nonsense"]) {
        assert.strictEqual((yield* refused(send(url))).reason, "address_refused")
      }
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("writes no secret into a failure, and at most 256 characters", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(serveHttp())
      const reset = yield* serveHttp(({ request }) => request.socket.destroy())
      const garbage = yield* serveTcp((socket) => socket.end("s3cret\r\n\r\n"))
      const urls = [
        `http://127.0.0.1:${gone.port}/s3cret?s3cret`,
        `${reset.origin}/s3cret?s3cret`,
        `http://127.0.0.1:${garbage.port}/s3cret`,
        `https://127.0.0.1:${reset.port}/s3cret`,
        `https://s3cret:s3cret@127.0.0.1/s3cret`,
        `https://10.0.0.1/s3cret?${"s3cret".repeat(100)}`
      ]
      for (const url of urls) {
        const failed = yield* refused(
          send(url, { headers: { authorization: "s3cret" }, method: "POST", body: "s3cret" })
        )
        assert.notInclude(`${JSON.stringify(failed)}${String(failed)}${failed.detail}`, "s3cret")
        assert.isAtMost(failed.detail.length, 256)
      }
      const header = yield* refused(send(reset.origin, { headers: { [`x-${"a".repeat(500)}`]: "s3cret\n" } }))
      assert.notInclude(JSON.stringify(header), "s3cret")
      assert.isAtMost(header.detail.length, 256)
    }).pipe(Effect.provide(localGuard))
  )
})
