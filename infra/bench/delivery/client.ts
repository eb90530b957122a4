/** The HTTP client alone against the same receiver: what no worker can exceed. Run in a process of its own. */
import { EgressGuard } from "@agent-platform/egress"
import { Egress } from "@agent-platform/kernel"
import { Effect } from "effect"
import { Agent, Client, type Dispatcher } from "undici"

const [how = "pool", url = "", count = "0", inFlight = "1"] = process.argv.slice(2)

const body = "x".repeat(733)
const headersOf = (index: number) => ({
  "content-type": "application/json",
  "x-service-signature": `t=1795251658,v1=${"0".repeat(64)}`,
  "x-service-event-id": `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`
})
const urls = Array.from({ length: 63 }, (_, index) => `${url}${index}`)
const urlOf = (index: number) => urls[index % urls.length] ?? url

/** As many requests before the counted ones, as `drain` leaves out its first half: both are measured warm. */
const warmUp = Number(count)
const total = warmUp + Number(count)

let next = 0
let begunAt = 0
let cpuBefore = process.cpuUsage()

/** The number of the next request; undefined when all were sent. */
const draw = () => {
  if (next === warmUp) {
    begunAt = performance.now()
    cpuBefore = process.cpuUsage()
  }
  return next < total ? next++ : undefined
}

const byUndici = (dispatcher: Dispatcher, index: number) =>
  new Promise<void>((resolve, reject) => {
    const { origin, pathname } = new URL(urlOf(index))
    dispatcher.dispatch(
      { origin, path: pathname, method: "POST", headers: headersOf(index), body },
      {
        onRequestStart: () => {},
        onResponseStart: () => {},
        onResponseData: () => {},
        onResponseEnd: () => resolve(),
        onResponseError: (_, error) => reject(error)
      }
    )
  })

const bareLane = async (dispatcher: Dispatcher) => {
  for (let index = draw(); index !== undefined; index = draw()) await byUndici(dispatcher, index)
}

/** undici's pool looks through its connections for a free one, which costs it more than the guard's checks. */
const pool = new Agent({ connections: Number(inFlight), pipelining: 1 })
const ownConnection = () => new Client(new URL(url).origin, { pipelining: 1 })

const guardedLane = Egress.use((egress) =>
  Effect.gen(function* () {
    for (let index = draw(); index !== undefined; index = draw()) {
      yield* egress.exchange({
        method: "POST",
        url: urlOf(index),
        headers: headersOf(index),
        body,
        deadlineMillis: 15_000,
        readBytesMax: 65_536
      })
    }
  })
)

const lanes = <Lane>(lane: () => Lane) => Array.from({ length: Number(inFlight) }, lane)
if (how === "connections") await Promise.all(lanes(() => bareLane(ownConnection())))
else if (how === "pool") await Promise.all(lanes(() => bareLane(pool)))
else {
  await Effect.runPromise(
    Effect.all(
      lanes(() => guardedLane),
      { concurrency: "unbounded" }
    ).pipe(Effect.provide(EgressGuard.layer({ allowLoopback: true })))
  )
}
const { system, user } = process.cpuUsage(cpuBefore)
process.send?.({
  perSecond: Number(count) / ((performance.now() - begunAt) / 1000),
  micros: (user + system) / Number(count)
})
process.exit(0)
