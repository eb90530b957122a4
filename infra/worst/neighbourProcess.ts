/** The process of a neighbour: repeats its few requests, and reports how long each took. */
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { Deed, Done, Given, Order } from "./neighbour.ts"
import { jsonOf, makeSender, type Sending } from "./send.ts"

const [{ agentId, key, port }] = (await once(process, "message")) as [Given]

/** Longer than the measuring process waits for an answer on a machine of usual speed. */
const ANSWER_MILLIS_MAX = 120_000

/** How long it rests between two of a kind, in milliseconds. */
const REST_MILLIS: Readonly<Record<Deed, number>> = { "/healthz": 100, requests: 200, runs: 500 }

const headers = { "x-api-key": key, "content-type": "application/json" }
const REQUESTS: ReadonlyArray<Sending> = [
  { method: "GET", path: "/api/v1/auth/me", headers },
  { method: "GET", path: "/api/v1/runs/?limit=5", headers }
]
const RUN: Sending = {
  method: "POST",
  path: "/api/v1/runs/",
  headers,
  body: JSON.stringify({ agent_id: agentId, message: "Hi", wait_seconds: 60 })
}

const sender = makeSender(port)
let isPaused = true
let underWay = 0
let requests = 0

const ask = async (sending: Sending, isGood: (json: Record<string, unknown>) => boolean) => {
  const answered = await sender.ask(sending, ANSWER_MILLIS_MAX)
  const json = jsonOf(answered)
  if (answered.status >= 300) throw new Error(`${answered.status} ${String(json["code"])}`)
  if (!isGood(json)) throw new Error(`it ended ${String(json["status"])} ${String(json["error_code"])}`)
}

const DO: Readonly<Record<Deed, () => Promise<void>>> = {
  "/healthz": () => ask({ method: "GET", path: "/healthz", headers: {} }, () => true),
  requests: () => ask(REQUESTS[requests++ % REQUESTS.length]!, () => true),
  runs: () => ask(RUN, ({ status }) => status === "succeeded")
}

const reportPause = () => {
  if (isPaused && underWay === 0) process.send?.({ paused: true })
}

const goOn = async (deed: Deed): Promise<never> => {
  for (;;) {
    await sleep(REST_MILLIS[deed])
    if (isPaused) continue
    underWay++
    const begunAt = performance.now()
    const failure = await DO[deed]().then(
      () => null,
      (error: unknown) => String(error)
    )
    process.send?.({ deed, millis: performance.now() - begunAt, failure } satisfies Done)
    underWay--
    reportPause()
  }
}

process.on("message", ({ order }: Order) => {
  isPaused = order === "pause"
  reportPause()
})
process.once("disconnect", () => process.exit())
for (const deed of Object.keys(DO) as ReadonlyArray<Deed>) void goOn(deed)
