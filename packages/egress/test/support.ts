import { readFileSync } from "node:fs"
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net"
import { Egress, type EgressPurpose, type OutgoingRequest } from "@agent-platform/kernel"
import { Effect, Queue, Result, type Scope } from "effect"
import { type EgressPolicy, makePeer, mayReach, type Peer } from "../src/EgressPolicy.ts"
import { EgressGuard, type HostResolver, NameNotResolved, parseAllowedTargets } from "../src/index.ts"
import { parseAddress } from "../src/PublicAddress.ts"

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8")

/** A policy that admits this, with these ports closed. */
export const aPolicy = (
  allowed: string,
  {
    allowLoopback = false,
    anywhere = [],
    here = []
  }: Partial<Pick<EgressPolicy, "allowLoopback">> & {
    anywhere?: ReadonlyArray<number>
    here?: ReadonlyArray<number>
  } = {}
): EgressPolicy => ({
  allowLoopback,
  allowed: Result.getOrThrow(parseAllowedTargets(allowed)),
  closedPorts: { anywhere: new Set(anywhere), here: new Set(here) }
})

/** Whether a connection made for a host may go to an address, both as text. */
export const reaches = (
  policy: EgressPolicy,
  { host, isPlain, port }: Pick<Peer, "isPlain" | "host" | "port">,
  address: string
): boolean => mayReach(policy, makePeer(isPlain, host, port), parseAddress(address))

/** The authority that signed the test servers' certificate. Test-only, as its key was thrown away. */
export const TEST_CA = fixture("test-only-ca.pem")

const TEST_TLS = { cert: fixture("test-only-server.pem"), key: fixture("test-only-server-key.pem") }

/** A server on the loopback that reports what happens to it. */
export interface TestServer {
  readonly port: number
  /** Connections accepted so far. */
  readonly connections: () => number
  /** Waits for the next connection to be accepted. */
  readonly accepted: Effect.Effect<Socket>
  /** Waits for the next connection to be closed. */
  readonly closed: Effect.Effect<void>
}

/** A request that arrived, with its answer still open. */
export interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A test server that speaks HTTP and hands each request to the test. */
export interface TestHttpServer extends TestServer {
  readonly origin: string
  readonly requests: () => number
  readonly arrived: Effect.Effect<Arrival>
}

const listen = Effect.fnUntraced(function* (server: Server): Effect.fn.Return<TestServer, never, Scope.Scope> {
  const open = new Set<Socket>()
  const accepted = yield* Queue.unbounded<Socket>()
  const closed = yield* Queue.unbounded<void>()
  let connections = 0
  server.on("connection", (socket: Socket) => {
    connections += 1
    open.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => {
      open.delete(socket)
      Queue.offerUnsafe(closed, undefined)
    })
    Queue.offerUnsafe(accepted, socket)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of open) socket.destroy()
      })
  )
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    accepted: Queue.take(accepted),
    closed: Queue.take(closed)
  }
})

type Answer = (arrival: Arrival) => void

const serve = Effect.fnUntraced(function* (scheme: "http" | "https", answer: Answer) {
  const arrivals = yield* Queue.unbounded<Arrival>()
  let requests = 0
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    requests += 1
    answer({ request, response })
    Queue.offerUnsafe(arrivals, { request, response })
  }
  // Without the five seconds of Node's servers, after which a client closes by itself what only our rules should close.
  const options = { keepAliveTimeout: 0 }
  const server = yield* listen(
    scheme === "http" ? createHttpServer(options, listener) : createHttpsServer({ ...TEST_TLS, ...options }, listener)
  )
  return {
    ...server,
    origin: `${scheme}://127.0.0.1:${server.port}`,
    requests: () => requests,
    arrived: Queue.take(arrivals)
  } satisfies TestHttpServer
})

const silent: Answer = () => {}

/** An HTTP server; without `answer` it leaves every request open. */
export const serveHttp = (answer: Answer = silent) => serve("http", answer)

/** The same over TLS, with a certificate for localhost, 127.0.0.1 and ::1 from `TEST_CA`. */
export const serveHttps = (answer: Answer = silent) => serve("https", answer)

/** A server that is given each raw connection. */
export const serveTcp = (onConnection: (socket: Socket) => void) => listen(createTcpServer(onConnection))

/** A GET with generous bounds. */
export const aRequest = (url: string, overrides: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  purpose: "webhooks",
  method: "GET",
  url,
  headers: {},
  body: null,
  deadlineMillis: 15_000,
  readBytesMax: 65_536,
  ...overrides
})

/** One request through the provided guard. */
export const send = (url: string, overrides: Partial<OutgoingRequest> = {}) =>
  Egress.use((egress) => egress.send(aRequest(url, overrides)))

/** Admission by whatever guard is provided. */
export const admit = (url: string, purpose: EgressPurpose = "webhooks") =>
  Egress.use((egress) => egress.admit(url, purpose))

/** A guard that reaches the test servers. */
export const localGuard = EgressGuard.layer({ allowLoopback: true, ca: TEST_CA })

/** A resolver that knows the names it is given; each name's answers in turn, the last one for good. */
export const aResolver = (
  names: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>
): { readonly resolver: HostResolver; readonly asked: () => ReadonlyArray<string> } => {
  const asked: Array<string> = []
  return {
    asked: () => asked,
    resolver: (name) =>
      Effect.suspend(() => {
        const answers = names[name]
        const turn = asked.filter((earlier) => earlier === name).length
        asked.push(name)
        if (answers === undefined) return Effect.fail(new NameNotResolved({ code: "ENOTFOUND" }))
        return Effect.succeed(answers[Math.min(turn, answers.length - 1)] ?? [])
      })
  }
}

/** The text of a body. */
export const textOf = (body: Uint8Array) => new TextDecoder().decode(body)
