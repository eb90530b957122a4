import { gzipSync } from "node:zlib"
import { type RequestFailed, Transaction } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { localGuard, send, serveHttp, serveHttps, textOf } from "./support.ts"

const refused = <A, R>(effect: Effect.Effect<A, RequestFailed, R>) => Effect.flip(effect)

describe("a request", () => {
  it.effect("answers status, headers, body, peer and duration over https", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps(({ response }) => {
        response.writeHead(201, { "X-Kind": "test", "set-cookie": ["a=1", "b=2"] }).end("made")
      })
      const answer = yield* send(`${server.origin}/things?x=1`, { method: "POST", body: "{}" })
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers["x-kind"], "test")
      assert.strictEqual(answer.headers["set-cookie"], "a=1, b=2")
      assert.strictEqual(textOf(answer.body), "made")
      assert.strictEqual(answer.remoteAddress, "127.0.0.1")
      assert.strictEqual(answer.durationMillis, 0)
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("sends method, path, query, headers and body as given, and no fragment", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ request, response }) => {
        let body = ""
        request.on("data", (piece) => {
          body += piece
        })
        request.on("end", () => response.end(`${request.method} ${request.url} ${request.headers["x-id"]} ${body}`))
      })
      const answer = yield* send(`${server.origin}/a/b?c=d#e`, {
        method: "POST",
        headers: { "X-Id": "7" },
        body: "gr\u00fc\u00df dich"
      })
      assert.strictEqual(textOf(answer.body), "POST /a/b?c=d 7 gr\u00fc\u00df dich")
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("reaches localhost by its name", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps(({ response }) => response.end("home"))
      const answer = yield* send(`https://localhost:${server.port}/`)
      assert.strictEqual(textOf(answer.body), "home")
      assert.strictEqual(answer.remoteAddress, "127.0.0.1")
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("takes every status for an answer", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ request, response }) => {
        response.writeHead(Number(request.url?.slice(1))).end()
      })
      for (const status of [200, 204, 304, 400, 404, 429, 500, 503]) {
        assert.strictEqual((yield* send(`${server.origin}/${status}`)).status, status)
      }
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("follows no redirect", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => response.writeHead(302, { location: "/elsewhere" }).end())
      const answer = yield* send(server.origin)
      assert.strictEqual(answer.status, 302)
      assert.strictEqual(answer.headers.location, "/elsewhere")
      assert.strictEqual(server.requests(), 1)
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("decompresses the answer and drops the headers that described it", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => {
        const body = gzipSync("an answer")
        response.writeHead(200, { "content-encoding": "gzip", "content-length": body.length }).end(body)
      })
      const answer = yield* send(server.origin)
      assert.strictEqual(textOf(answer.body), "an answer")
      assert.notProperty(answer.headers, "content-encoding")
      assert.notProperty(answer.headers, "content-length")
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("succeeds with the part up to the cap when the body is longer, compressed or not", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(new Uint8Array(53_000_000))
      assert.isBelow(bomb.length, 60_000)
      const server = yield* serveHttp(({ request, response }) => {
        if (request.url === "/bomb") response.writeHead(200, { "content-encoding": "gzip" }).end(bomb)
        // Never ends: only the cap can end it.
        else response.write("x".repeat(10_000))
      })
      for (const path of ["/bomb", "/long"]) {
        const answer = yield* send(`${server.origin}${path}`, { readBytesMax: 5_000 })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.body.length, 5_000)
        yield* server.closed
      }
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("reads a long compressed answer whole, as fast as it can be decompressed", () =>
    Effect.gen(function* () {
      const noise = new Uint8Array(2_000_000)
      for (let index = 0, state = 1; index < noise.length; index++) {
        state = (state * 48_271) % 2_147_483_647
        noise[index] = state & 0xff
      }
      const server = yield* serveHttp(({ response }) => {
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(noise))
      })
      const answer = yield* send(server.origin, { readBytesMax: noise.length })
      assert.isTrue(Buffer.from(noise).equals(answer.body))
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("fails with protocol_error for headers that would change the request's frame or smuggle another", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => response.end())
      const cases: ReadonlyArray<Readonly<Record<string, string>>> = [
        { "x-a": "b\r\nx-c: d" },
        { "x-a": "b\nx-c: d" },
        { "x-a": "b\rc" },
        { "x-a": "b\u0000c" },
        { "x-a": "caf\u00e9" },
        { "x-a": "\u{1f600}" },
        { "x-a\r\nx-b": "c" },
        { "x a": "b" },
        { "": "b" },
        { host: "other.example" },
        { Host: "other.example" },
        { "Content-Length": "0" },
        { "transfer-encoding": "chunked" },
        { connection: "close" },
        { upgrade: "websocket" },
        { expect: "100-continue" },
        { "x-a": "1", "X-A": "2" }
      ]
      for (const headers of cases) {
        const failed = yield* refused(send(server.origin, { headers }))
        assert.strictEqual(failed.reason, "protocol_error", JSON.stringify(headers))
      }
      assert.strictEqual(server.requests(), 0)
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("asks for the encodings it can decode, whatever the caller asks for", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ request, response }) => response.end(request.headers["accept-encoding"]))
      const answer = yield* send(server.origin, { headers: { "Accept-Encoding": "zstd" } })
      assert.strictEqual(textOf(answer.body), "gzip, deflate, br")
    }).pipe(Effect.provide(localGuard))
  )

  it.effect("dies inside a transaction, before anything is sent", () =>
    Effect.gen(function* () {
      const server = yield* serveHttp(({ response }) => response.end())
      const exit = yield* Effect.exit(send(server.origin).pipe(Effect.provideService(Transaction, { id: "open" })))
      assert.isTrue(Exit.hasDies(exit))
      assert.strictEqual(server.connections(), 0)
    }).pipe(Effect.provide(localGuard))
  )
})
