/** The HTTP client alone against the same receiver: what no worker can exceed. Run in a process of its own. */
import { EgressGuard } from "@agent-platform/egress"
import { Egress } from "@agent-platform/kernel"
import { Effect } from "effect"
import { Agent } from "undici"

const [how = "undici", url = "", count = "0", inFlight = "1"] = process.argv.slice(2)

const body = "x".repeat(733)
const headersOf = (index: number) => ({
  "content-type": "application/json",
  "x-service-signature": `t=1795251658,v1=${"0".repeat(64)}`,
  "x-service-event-id": `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`
})
const urls = Array.from({ length: 63 }, (_, index) => `${url}${index}`)
const urlOf = (index: number) => urls[index % urls.length] ?? url

/** Sends so many requests, so many at once, and answers how many went through a second. */
const race = async (send: (index: number) => Promise<unknown>): Promise<number> => {
  let next = 0
  const lane = async () => {
    while (next < Number(count)) await send(next++)
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: Number(inFlight) }, lane))
  return Number(count) / ((performance.now() - begun) / 1000)
}

const agent = new Agent({ connections: Number(inFlight), pipelining: 1 })
const byUndici = (index: number) =>
  new Promise<void>((resolve, reject) => {
    const { origin, pathname } = new URL(urlOf(index))
    agent.dispatch(
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

const perSecond =
  how === "undici"
    ? await race(byUndici)
    : await Effect.runPromise(
        Effect.gen(function* () {
          const egress = yield* Egress
          let next = 0
          const lane = Effect.gen(function* () {
            while (next < Number(count)) {
              const index = next++
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
          const begun = performance.now()
          yield* Effect.all(
            Array.from({ length: Number(inFlight) }, () => lane),
            { concurrency: "unbounded" }
          )
          return Number(count) / ((performance.now() - begun) / 1000)
        }).pipe(Effect.provide(EgressGuard.layer({ allowLoopback: true })))
      )
process.send?.({ perSecond, micros: (process.cpuUsage().user + process.cpuUsage().system) / Number(count) })
process.exit(0)
