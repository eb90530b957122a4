/** The command `listen`: events go to a local receiver as deliveries would come. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { ServerSentEvent } from "@agent-platform/client"
import { layerCrypto } from "@agent-platform/process"
import { verify } from "@agent-platform/receiver"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Queue, Redacted } from "effect"
import { layerWithWorkers, TestApi } from "../../api/test/support.ts"
import { followStream } from "../src/listen/followStream.ts"
import { forward, lineOf } from "../src/listen/forward.ts"
import { runAdminIn } from "./program.ts"

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
const KEY = Redacted.make("apk_org_x")

interface Request {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly response: ServerResponse
}

/** A server on loopback, whose requests are answered by the test. */
const serving = Effect.gen(function* () {
  const requests = yield* Queue.unbounded<Request>()
  const server = yield* Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const made = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk) => chunks.push(chunk))
        request.on("end", () => {
          const body = Buffer.concat(chunks).toString("utf8")
          Queue.offerUnsafe(requests, { headers: request.headers, body, response })
        })
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, next: Queue.take(requests) }
})

const frame = (id: number) => `id: ${id}\nevent: run.succeeded\ndata: {"n":${id}}\n\n`

const following = (api: string) =>
  Effect.gen(function* () {
    const [events, said] = [yield* Queue.unbounded<ServerSentEvent>(), yield* Queue.unbounded<string>()]
    const follow = followStream({
      api,
      key: KEY,
      onEvent: (event) => Queue.offer(events, event),
      say: (line) => Queue.offer(said, line)
    })
    const fiber = yield* Effect.forkScoped(Effect.flip(Effect.catchTag(follow, "PortBlocked", Effect.die)))
    return { events: Queue.take(events), said: Queue.take(said), fiber }
  })

const streamed = { "content-type": "text/event-stream" }

describe("listening to the stream of events", () => {
  it.live("comes back after the event that it saw last, and says so", () =>
    Effect.gen(function* () {
      const api = yield* serving
      const { events, said } = yield* following(api.url)
      const first = yield* api.next
      assert.strictEqual(first.headers.authorization, `Bearer ${Redacted.value(KEY)}`)
      assert.isUndefined(first.headers["last-event-id"])
      first.response.writeHead(200, streamed).write(frame(1) + frame(2))
      assert.deepStrictEqual([(yield* events).id, (yield* events).id], ["1", "2"])
      first.response.destroy()
      const second = yield* api.next
      assert.strictEqual(second.headers["last-event-id"], "2")
      second.response.writeHead(200, streamed).end(`${frame(3)}: going away\nretry: 10\n\n`)
      assert.strictEqual((yield* events).data, '{"n":3}')
      const third = yield* api.next
      assert.strictEqual(third.headers["last-event-id"], "3")
      third.response.writeHead(503).end()
      const fourth = yield* api.next
      fourth.response.writeHead(200, streamed).write(frame(4))
      assert.strictEqual((yield* events).id, "4")
      const lines = yield* Effect.replicateEffect(said, 5)
      assert.strictEqual(lines[0], "Listening")
      assert.match(lines[1] ?? "", /^Not connected: .*\. Trying again$/)
      assert.strictEqual(lines[2], "Listening again, from where it was")
      assert.strictEqual(lines[3], "Not connected: the API answered 503. Trying again")
      assert.strictEqual(lines[4], "Listening again, from where it was")
    }).pipe(Effect.scoped)
  )

  it.live("comes back to where it began when it was cut off before the first event", () =>
    Effect.gen(function* () {
      const api = yield* serving
      const { events } = yield* following(api.url)
      const first = yield* api.next
      first.response.writeHead(200, streamed).end("id: at:7\n\nretry: 10\n\n")
      const second = yield* api.next
      assert.strictEqual(second.headers["last-event-id"], "at:7")
      second.response.writeHead(200, streamed).end(`${frame(8)}retry: 10\n\n`)
      assert.strictEqual((yield* events).id, "8")
      assert.strictEqual((yield* api.next).headers["last-event-id"], "8")
    }).pipe(Effect.scoped)
  )

  it.live("goes on from now when the event that it saw last is not kept any more", () =>
    Effect.gen(function* () {
      const api = yield* serving
      const { events, said } = yield* following(api.url)
      const first = yield* api.next
      first.response.writeHead(200, streamed).end(`${frame(1)}retry: 10\n\n`)
      yield* events
      const second = yield* api.next
      second.response.writeHead(422).end("{}")
      const third = yield* api.next
      assert.isUndefined(third.headers["last-event-id"])
      yield* said
      assert.match(yield* said, /some may be missed/)
    }).pipe(Effect.scoped)
  )

  it.live("takes the key nowhere else", () =>
    Effect.gen(function* () {
      const [api, elsewhere] = [yield* serving, yield* serving]
      const { fiber } = yield* following(api.url)
      const asked = yield* api.next
      asked.response.writeHead(307, { location: elsewhere.url }).end()
      const refused = yield* Fiber.join(fiber).pipe(Effect.timeoutOption("5 seconds"))
      assert.strictEqual(Option.getOrUndefined(refused)?.status, 307)
    }).pipe(Effect.scoped)
  )

  it.live("stops when the key is refused, with what the API says", () =>
    Effect.gen(function* () {
      const api = yield* serving
      const { fiber } = yield* following(api.url)
      const { response } = yield* api.next
      response.writeHead(403).end(JSON.stringify({ detail: "This operation takes an organization key only" }))
      const refused = yield* Fiber.join(fiber)
      assert.strictEqual(refused.message, "The API answered 403: This operation takes an organization key only")
    }).pipe(Effect.scoped)
  )
})

describe("the command", () => {
  const listening = (api: string) =>
    runAdminIn({}, "listen", "--key", "apk_org_x", "--forward-to", "http://127.0.0.1:9000/hooks", "--api", api)

  it.live("says in one line what the API refuses, and ends with 3", () =>
    Effect.gen(function* () {
      const api = yield* serving
      const listens = yield* Effect.forkScoped(listening(api.url))
      const { response } = yield* api.next
      response.writeHead(401).end(JSON.stringify({ detail: "The API key is not known" }))
      const { code, err } = yield* Fiber.join(listens)
      assert.deepStrictEqual({ code, err }, { code: 3, err: "admin: The API answered 401: The API key is not known\n" })
    }).pipe(Effect.scoped)
  )

  it.live("does not try for ever at a port that no request goes to", () =>
    Effect.gen(function* () {
      const { code, err } = yield* listening("http://127.0.0.1:1")
      assert.deepStrictEqual(
        { code, err },
        { code: 2, err: "admin: --api is not on a port that can be asked by HTTP\n" }
      )
    })
  )
})

describe("forwarding an event", () => {
  const target = (url: string) => ({ url, secret: Redacted.make(SECRET), headerPrefix: "x-service" })
  const event = {
    id: "01a1fd31-ae8a-73b5-8d35-ead780a3b245",
    event: "run.failed",
    data: '{"id":"01a1fd31-ae8a-73b5-8d35-ead780a3b245","type":"run.failed","data":{"note":"é 💡"}}'
  }

  it.live("sends it signed, byte for byte, and says what was answered", () =>
    Effect.gen(function* () {
      const receiver = yield* serving
      const sending = yield* Effect.forkChild(forward(event, target(receiver.url)))
      const { body, headers, response } = yield* receiver.next
      assert.strictEqual(body, event.data)
      const received = yield* Effect.promise(() => verify(body, headers, SECRET))
      assert.strictEqual(received.id, event.id)
      response.writeHead(418).end("teapot")
      assert.match(lineOf(yield* Fiber.join(sending)), /^run\.failed 01a1fd31-\S+ -> 418 \(\d+ ms\)$/)
    }).pipe(Effect.scoped, Effect.provide(layerCrypto))
  )

  it.live("says why nobody was there", () =>
    Effect.gen(function* () {
      const line = lineOf(yield* forward(event, target("http://127.0.0.1:1/")))
      assert.match(line, /^run\.failed \S+ -> not delivered: /)
    }).pipe(Effect.provide(layerCrypto))
  )
})

describe("the two together over the API", () => {
  it.live("bring a test event to the receiver", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { orgKey } = yield* api.tenant
      const receiver = yield* serving
      const said = yield* Queue.unbounded<string>()
      yield* Effect.forkScoped(
        followStream({
          api: api.url,
          key: Redacted.make(orgKey),
          onEvent: (one) =>
            Effect.asVoid(
              forward(one, { url: receiver.url, secret: Redacted.make(SECRET), headerPrefix: "x-service" })
            ).pipe(Effect.provide(layerCrypto)),
          say: (line) => Queue.offer(said, line)
        })
      )
      assert.strictEqual(yield* Queue.take(said), "Listening")
      const path = "/api/v1/org/webhooks"
      const endpoint = yield* api.call("POST", path, { key: orgKey, body: { url: "https://example.com/" } })
      const sent = yield* api.call("POST", `${path}/${endpoint.json["id"]}/test`, { key: orgKey, body: {} })
      const { body, headers, response } = yield* receiver.next
      response.writeHead(204).end()
      const received = yield* Effect.promise(() => verify(body, headers, SECRET))
      assert.strictEqual(received.id, String(sent.json["event_id"]))
    }).pipe(Effect.scoped, Effect.provide(layerWithWorkers))
  )
})
