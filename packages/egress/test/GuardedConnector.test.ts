import { connect as connectTcp, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { buildConnector } from "undici"
import { makeGuardedConnector, makeSecureContext } from "../src/GuardedConnector.ts"
import { AddressRefused } from "../src/HostResolver.ts"
import { EgressGuard, type HostResolver, NameNotResolved } from "../src/index.ts"
import { admit, aPolicy, aResolver, send, serveHttps, serveTcp, TEST_CA } from "./support.ts"

interface Opened {
  readonly error: Error | null
  readonly sockets: number
}

/** Connects past admission and the client, as a bug or an attack would, and answers the outcome. */
const connect = (
  resolver: HostResolver,
  options: Partial<buildConnector.Options> & { readonly hostname: string },
  allowLoopback = false
): Effect.Effect<Opened> =>
  Effect.callback((resume) => {
    let sockets = 0
    const connector = makeGuardedConnector({
      policy: aPolicy("", { allowLoopback }),
      resolver,
      secureContext: makeSecureContext(TEST_CA),
      context
    })
    connector(
      { protocol: "https:", port: "443", host: options.hostname, ...options },
      (error, socket) => {
        socket?.destroy()
        resume(Effect.succeed({ error, sockets }))
      },
      () => {
        sockets += 1
      }
    )
  })

const context = Effect.runSync(Effect.context<never>())

// Spec: Webhook endpoint 1.
describe("GuardedConnector", () => {
  it.live("dials no address literal that is not public", () =>
    Effect.gen(function* () {
      const server = yield* serveTcp(() => {})
      const { asked, resolver } = aResolver({})
      for (const hostname of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "::"]) {
        for (const protocol of ["https:", "http:"]) {
          const opened = yield* connect(resolver, { hostname, protocol, port: `${server.port}` })
          assert.instanceOf(opened.error, AddressRefused)
          assert.strictEqual(opened.sockets, 0)
        }
      }
      assert.strictEqual(server.connections(), 0)
      assert.strictEqual(asked().length, 0)
    })
  )

  it.live("dials no spelling of an address that only some parsers understand", () =>
    Effect.gen(function* () {
      const server = yield* serveTcp(() => {})
      const { resolver } = aResolver({})
      for (const hostname of ["127.1", "0x7f.1", "0177.0.0.1", "2130706433", "127.0.0.1."]) {
        const opened = yield* connect(resolver, { hostname, port: `${server.port}` }, true)
        assert.instanceOf(opened.error, NameNotResolved)
      }
      assert.strictEqual(server.connections(), 0)
    })
  )

  it.live("dials nothing when one of a name's addresses is not public", () =>
    Effect.gen(function* () {
      const server = yield* serveTcp(() => {})
      const { resolver } = aResolver({ "mixed.example": [["1.1.1.1", "127.0.0.1"]], "inner.example": [["127.0.0.1"]] })
      for (const hostname of ["mixed.example", "inner.example"]) {
        for (const allowLoopback of [false, true]) {
          const opened = yield* connect(resolver, { hostname, port: `${server.port}` }, allowLoopback)
          assert.instanceOf(opened.error, AddressRefused)
        }
      }
      assert.strictEqual(server.connections(), 0)
    })
  )

  // The look-up is stepped around by handing in a socket that stands already: only the last look can refuse it.
  it.live("refuses a socket whose peer is not public, however it came to be", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps()
      const standing = yield* Effect.callback<Socket>((resume) => {
        const socket = connectTcp(server.port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      })
      const { resolver } = aResolver({ "public.example": [["1.1.1.1"]] })
      const opened = yield* connect(resolver, {
        hostname: "public.example",
        servername: "localhost",
        httpSocket: standing
      })
      assert.instanceOf(opened.error, AddressRefused)
      assert.strictEqual(server.requests(), 0)
    })
  )

  it.live("reaches localhost where the loopback is allowed, and not elsewhere", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps()
      const { resolver } = aResolver({})
      const options = { hostname: "localhost", port: `${server.port}` }
      assert.isNull((yield* connect(resolver, options, true)).error)
      assert.instanceOf((yield* connect(resolver, options, false)).error, AddressRefused)
    })
  )
})

describe("DNS rebinding", () => {
  for (const allowLoopback of [false, true]) {
    it.live(`is refused at connect after admission was deceived, loopback ${allowLoopback ? "" : "not "}allowed`, () =>
      Effect.gen(function* () {
        const server = yield* serveHttps()
        const { asked, resolver } = aResolver({ "rebind.example": [["1.1.1.1"], ["127.0.0.1"]] })
        const guard = EgressGuard.layer({ allowLoopback, ca: TEST_CA, resolver })
        yield* Effect.gen(function* () {
          const url = `https://rebind.example:${server.port}/`
          yield* admit(url)
          const failed = yield* Effect.flip(send(url))
          assert.strictEqual(failed.reason, "address_refused")
          assert.isNull(failed.remoteAddress)
        }).pipe(Effect.provide(guard))
        assert.strictEqual(asked().length, 2)
        assert.strictEqual(server.connections(), 0)
      })
    )
  }
})

describe("the loopback where it is not allowed", () => {
  it.live("is reached by no spelling", () =>
    Effect.gen(function* () {
      const server = yield* serveHttps()
      const { resolver } = aResolver({ "inner.example": [["127.0.0.1"]] })
      const guard = EgressGuard.layer({ allowLoopback: false, ca: TEST_CA, resolver })
      const hosts = [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "127.1",
        "0x7f.1",
        "2130706433",
        "0177.0.0.1",
        "127.0.0.1.",
        "localhost.",
        "inner.example",
        "%31%32%37.0.0.1",
        "0.0.0.0",
        "0",
        "[::]"
      ]
      for (const host of hosts) {
        const failed = yield* Effect.flip(send(`https://${host}:${server.port}/`)).pipe(Effect.provide(guard))
        assert.strictEqual(failed.reason, "address_refused", host)
      }
      assert.strictEqual(server.connections(), 0)
    })
  )
})
