/**
 * Sends requests as large as deliveries to the same receiver by the HTTP client alone: the rate that no worker can exceed. Run in a
 * process of its own, with the flags of a worker.
 */
import { EgressGuard } from "@agent-platform/egress"
import { Egress } from "@agent-platform/kernel"
import { Effect, Exit } from "effect"
import { Agent, Client, type Dispatcher } from "undici"
import { BODY_BYTES, WARM_UP } from "./sizes.ts"

const [how = "pool", url = "", count = "0", inFlight = "1"] = process.argv.slice(2)

const body = "x".repeat(BODY_BYTES)

const SIGNATURE = `t=1795251658,v1=${"0".repeat(64)}`
const STANDARD_SIGNATURE = `v1,${"0".repeat(44)}`

const eventIdOf = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`

/** As many headers as a delivery has, and as long: their cost is part of the client's. */
const headersOf = (eventId: string) => ({
  "content-type": "application/json",
  "user-agent": "agent-platform-webhooks",
  "x-service-signature": SIGNATURE,
  "x-service-event-id": eventId,
  "x-service-event-type": "run.succeeded",
  "webhook-id": eventId,
  "webhook-timestamp": "1795251658",
  "webhook-signature": STANDARD_SIGNATURE
})

/** The same headers as a flat list, which undici need not convert, and `accept-encoding`, which the guard adds by itself. */
const listOf = (eventId: string) => [
  "accept-encoding",
  "gzip, deflate, br",
  "content-type",
  "application/json",
  "user-agent",
  "agent-platform-webhooks",
  "x-service-signature",
  SIGNATURE,
  "x-service-event-id",
  eventId,
  "x-service-event-type",
  "run.succeeded",
  "webhook-id",
  eventId,
  "webhook-timestamp",
  "1795251658",
  "webhook-signature",
  STANDARD_SIGNATURE
]

const { origin } = new URL(url)
/** As many endpoints as the drain has: 21 organizations with 3 each. */
const urls = Array.from({ length: 63 }, (_, index) => `${url}${index}`)
const paths = urls.map((one) => new URL(one).pathname)

/** Requests before the counted ones, in the proportion that `drain` leaves out: both are measured warm. */
const warmUp = WARM_UP * Number(count)
const total = warmUp + Number(count)

let begunAt = 0
let cpuBefore = process.cpuUsage()
let next = 0
let ended = 0

/** Sends one request, and tells when its answer has been read. */
type Send = (index: number, done: () => void) => void

const byUndici =
  (dispatcher: Dispatcher): Send =>
  (index, done) => {
    dispatcher.dispatch(
      { origin, path: paths[index % paths.length] ?? "", method: "POST", headers: listOf(eventIdOf(index)), body },
      {
        onRequestStart: () => {},
        onResponseStart: () => {},
        onResponseData: () => {},
        onResponseEnd: done,
        onResponseError: (_, error) => {
          throw error
        }
      }
    )
  }

const byGuard =
  (egress: Egress["Service"]): Send =>
  (index, done) => {
    const request = {
      purpose: "webhooks",
      method: "POST",
      url: urls[index % urls.length] ?? url,
      headers: headersOf(eventIdOf(index)),
      body,
      deadlineMillis: 15_000,
      readBytesMax: 65_536
    } as const
    egress.begin(request, (exit) => {
      if (Exit.isFailure(exit)) throw new Error(`The guard failed: ${exit.cause}`)
      done()
    })
  }

/** Each `send` sends one request after another until they have sent `total` together; resolves with the last answer. */
const race = (sends: ReadonlyArray<Send>) =>
  new Promise<void>((resolve) => {
    const go = (send: Send) => {
      if (next === warmUp) {
        begunAt = performance.now()
        cpuBefore = process.cpuUsage()
      }
      if (next === total) return
      send(next++, () => {
        ended++
        if (ended === total) resolve()
        else go(send)
      })
    }
    for (const send of sends) go(send)
  })

const inParallel = (send: () => Send) => Array.from({ length: Number(inFlight) }, send)

const sending = (): Effect.Effect<ReadonlyArray<Send>, never, Egress> => {
  if (how === "connections") return Effect.sync(() => inParallel(() => byUndici(new Client(origin, { pipelining: 1 }))))
  // undici's pool looks through its connections for a free one, which costs it more than the guard's checks.
  const pool = new Agent({ connections: Number(inFlight), pipelining: 1 })
  if (how === "pool") return Effect.sync(() => inParallel(() => byUndici(pool)))
  return Egress.use((egress) => Effect.sync(() => inParallel(() => byGuard(egress))))
}

await Effect.runPromise(
  Effect.flatMap(sending(), (sends) => Effect.promise(() => race(sends))).pipe(
    Effect.provide(EgressGuard.layer({ allowLoopback: true }))
  )
)
const { system, user } = process.cpuUsage(cpuBefore)
process.send?.({
  perSecond: Number(count) / ((performance.now() - begunAt) / 1000),
  micros: (user + system) / Number(count)
})
process.exit(0)
