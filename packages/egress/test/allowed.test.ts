/** Targets that operators admit, over real servers on loopback: networks of it stand for private ones, and none is admitted as loopback. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Egress, type EgressPurpose } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { EgressGuard, type EgressGuardOptions, parseAllowedTargets } from "../src/index.ts"
import { admit, aRequest, aResolver, send, serveHttps, TEST_CA, textOf } from "./support.ts"

const targets = (text: string) => Result.getOrThrow(parseAllowedTargets(text))

const PURPOSES: ReadonlyArray<EgressPurpose> = ["webhooks", "agents", "providers", "tools", "mcp", "content"]

/** A server on all of 127.0.0.0/8 that answers with the address it was called at, and counts its connections. */
const serveEverywhere = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly connections: () => number; readonly close: () => void }>(
    (resume) => {
      let connections = 0
      const server = createServer((request, response) => response.end(request.socket.localAddress ?? ""))
      server.on("connection", () => {
        connections += 1
      })
      server.listen(0, "0.0.0.0", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ port, connections: () => connections, close }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

const guard = (options: Partial<EgressGuardOptions>) =>
  EgressGuard.layer({ allowLoopback: false, resolver: aResolver({}).resolver, ...options })

const refusedAt = (url: string, purpose: EgressPurpose = "webhooks") =>
  Effect.gen(function* () {
    assert.strictEqual((yield* Effect.flip(admit(url, purpose)))._tag, "UrlNotPublic", url)
    const failed = yield* Effect.flip(send(url, { purpose }))
    assert.strictEqual(failed.reason, "address_refused", url)
    assert.isNull(failed.remoteAddress)
  })

const reachedAt = (url: string, purpose: EgressPurpose = "webhooks") =>
  Effect.gen(function* () {
    yield* admit(url, purpose)
    const answer = yield* send(url, { purpose })
    assert.strictEqual(answer.status, 200)
    return textOf(answer.body)
  })

// Spec: Webhook endpoint 1.
describe("an admitted network", () => {
  it.live("is reached by its addresses over http where that was named, and nothing beside it", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* serveEverywhere
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* reachedAt(`http://127.0.0.2:${port}/`), "127.0.0.2")
        assert.strictEqual(yield* reachedAt(`http://127.0.0.3:${port}/`), "127.0.0.3")
        const before = connections()
        for (const host of [
          "127.0.0.1",
          "127.0.0.4",
          "localhost",
          "[::1]",
          "0.0.0.0",
          "2130706434",
          "0x7f.2",
          "127.2"
        ]) {
          yield* refusedAt(`http://${host}:${port}/`)
        }
        assert.strictEqual(connections(), before)
      }).pipe(Effect.provide(guard({ allow: { webhooks: targets("http://127.0.0.2/31") } })))
    }).pipe(Effect.scoped)
  )

  it.live("is reached over https alone where http was not named", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps(({ response }) => response.end("secured"))
      const plain = yield* serveEverywhere
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* reachedAt(`https://127.0.0.1:${server.port}/`), "secured")
        yield* refusedAt(`http://127.0.0.1:${plain.port}/`)
        assert.strictEqual(plain.connections(), 0)
      }).pipe(Effect.provide(guard({ ca: TEST_CA, allow: { webhooks: targets("127.0.0.0/8") } })))
    }).pipe(Effect.scoped)
  )

  it.live("is reached by the ports that were named alone", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* serveEverywhere, yield* serveEverywhere]
      yield* Effect.gen(function* () {
        yield* reachedAt(`http://127.0.0.2:${one.port}/`)
        yield* refusedAt(`http://127.0.0.2:${other.port}/`)
        assert.strictEqual(other.connections(), 0)
      }).pipe(Effect.provide(guard({ allow: { webhooks: targets(`http://127.0.0.0/8:${one.port}`) } })))
    }).pipe(Effect.scoped)
  )

  it.live("is reached by names that lead there, each held to the addresses that were checked", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* serveEverywhere
      const { asked, resolver } = aResolver({
        "in.example": [["127.0.0.2"]],
        "mixed.example": [["127.0.0.2", "127.0.0.4"]],
        "turns.example": [["127.0.0.2"], ["127.0.0.4"]],
        "metadata.example": [["127.0.0.2"], ["169.254.169.254"]]
      })
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* reachedAt(`http://in.example:${port}/`), "127.0.0.2")
        const before = connections()
        yield* refusedAt(`http://mixed.example:${port}/`)
        for (const host of ["turns.example", "metadata.example"]) {
          yield* admit(`http://${host}:${port}/`)
          const failed = yield* Effect.flip(send(`http://${host}:${port}/`))
          assert.strictEqual(failed.reason, "address_refused")
          assert.strictEqual(asked().filter((name) => name === host).length, 2)
        }
        assert.strictEqual(connections(), before)
      }).pipe(Effect.provide(guard({ resolver, allow: { webhooks: targets("http://127.0.0.2/31") } })))
    }).pipe(Effect.scoped)
  )

  it.live("judges each of several look-ups at once for its own scheme and port", () =>
    Effect.gen(function* () {
      const [open, closed] = [yield* serveEverywhere, yield* serveEverywhere]
      const { resolver } = aResolver({ "in.example": [["127.0.0.2"]] })
      yield* Effect.gen(function* () {
        const ports = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? open.port : closed.port))
        const outcomes = yield* Effect.forEach(
          ports,
          (port) => Effect.result(send(`http://in.example:${port}/`, { headers: { "x-port": `${port}` } })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          outcomes.map(Result.isSuccess),
          ports.map((port) => port === open.port)
        )
        assert.strictEqual(closed.connections(), 0)
      }).pipe(
        Effect.provide(
          guard({ resolver, allow: { webhooks: targets(`http://127.0.0.2:${open.port},http://10.0.0.0/8`) } })
        )
      )
    }).pipe(Effect.scoped)
  )
})

describe("an admitted purpose", () => {
  for (const admitted of PURPOSES) {
    it.live(`opens nothing for the others: ${admitted}`, () =>
      Effect.gen(function* () {
        const { port } = yield* serveEverywhere
        const url = `http://127.0.0.2:${port}/`
        yield* Effect.gen(function* () {
          // First, so that a connection is kept which nobody else may use.
          yield* reachedAt(url, admitted)
          for (const purpose of PURPOSES.filter((one) => one !== admitted)) {
            yield* refusedAt(url, purpose)
            const streamed = Egress.use((egress) =>
              egress.stream({ ...aRequest(url), purpose, silenceMillis: 5_000, bytesMax: 1_024 })
            )
            assert.strictEqual((yield* Effect.flip(Effect.scoped(streamed))).reason, "address_refused")
          }
        }).pipe(Effect.provide(guard({ allow: { [admitted]: targets("http://127.0.0.0/8") } })))
      }).pipe(Effect.scoped)
    )
  }
})

describe("a closed port", () => {
  for (const options of [
    { allowLoopback: true },
    { allow: { webhooks: targets("http://127.0.0.0/8,http://localhost") } }
  ]) {
    it.live(`is called neither by ${JSON.stringify(Object.keys(options))} nor by a name that leads there`, () =>
      Effect.gen(function* () {
        const [database, own] = [yield* serveEverywhere, yield* serveEverywhere]
        const { resolver } = aResolver({ "in.example": [["127.0.0.2"]] })
        yield* Effect.gen(function* () {
          for (const { port } of [database, own]) {
            for (const host of ["127.0.0.1", "127.0.0.2", "localhost", "in.example"]) {
              const url = `http://${host}:${port}/`
              assert.strictEqual((yield* Effect.flip(admit(url)))._tag, "UrlNotPublic", url)
              assert.strictEqual((yield* Effect.flip(send(url))).reason, "address_refused", url)
            }
          }
          assert.strictEqual(database.connections() + own.connections(), 0)
        }).pipe(
          Effect.provide(
            guard({
              ...options,
              resolver,
              closedPorts: { anywhere: new Set([database.port]), here: new Set([own.port]) }
            })
          )
        )
      }).pipe(Effect.scoped)
    )
  }
})
