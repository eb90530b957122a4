/**
 * A receiver in a process of its own, over bare sockets: it must never be what limits a measurement. The first part of a
 * URL's path says how it answers: `/ok`, `/fail` (503) or `/hang` (never). Forked; it is asked by messages.
 */
import { readFileSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createSecureServer } from "node:tls"
import type { Ports } from "./processes.ts"

/** The requests to one endpoint's URL since it was last reset. */
export interface Tally {
  /** Requests, the same event again included. */
  readonly requests: number
  /** Different events. */
  readonly events: number
}

/**
 * The questions that a receiver answers. `arrivals` are the times at which each event first came to each healthy path. `reached` is
 * answered only once so many events have come there: asking again and again would take time from what is measured.
 */
export type Question =
  | { readonly ask: "reset" }
  | { readonly ask: "reached"; readonly events: number }
  | { readonly ask: "tallies" }
  | { readonly ask: "arrivals" }

/** Its answers, one at a time: the next question comes after the answer. */
export type Answer =
  | { readonly ports: Ports }
  | { readonly done: true }
  | { readonly tallies: Readonly<Record<string, Tally>> }
  | { readonly arrivals: ReadonlyArray<readonly [path: string, eventId: string, atMillis: number]> }

const ANSWERS: Readonly<Record<string, Buffer | undefined>> = {
  ok: Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
  fail: Buffer.from("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\nno")
}

const fixture = (name: string) =>
  readFileSync(new URL(`../../../packages/egress/test/fixtures/${name}`, import.meta.url))

const now = () => performance.timeOrigin + performance.now()

const HEAD_END = Buffer.from("\r\n\r\n")
const LENGTH = "\r\ncontent-length: "
const EVENT_ID = "\r\nx-service-event-id: "
const EVENT_ID_LENGTH = 36

/** One path and what came to it. */
interface Place {
  requests: number
  readonly answer: Buffer | undefined
  readonly healthy: boolean
  readonly firstSeen: Map<string, number>
}

let places = new Map<string, Place>()
let healthyEvents = 0
let awaited: { readonly events: number; readonly reached: () => void } | undefined

const placeOf = (path: string): Place => {
  const known = places.get(path)
  if (known !== undefined) return known
  const [, how = ""] = path.split("/")
  const place = { requests: 0, answer: ANSWERS[how], healthy: how === "ok", firstSeen: new Map() }
  places.set(path, place)
  return place
}

const tellReached = () => {
  if (awaited === undefined || healthyEvents < awaited.events) return
  awaited.reached()
  awaited = undefined
}

const take = (head: string, eventId: string): Buffer | undefined => {
  const place = placeOf(head.slice(head.indexOf(" ") + 1, head.indexOf(" HTTP/1.1")))
  place.requests++
  if (!place.firstSeen.has(eventId)) {
    place.firstSeen.set(eventId, now())
    if (place.healthy) healthyEvents++
    tellReached()
  }
  return place.answer
}

const serve = (socket: Socket) => {
  let rest: Buffer = Buffer.alloc(0)
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const headEnd = rest.indexOf(HEAD_END)
      if (headEnd < 0) return
      const head = rest.toString("latin1", 0, headEnd)
      const length = head.indexOf(LENGTH)
      const end = headEnd + HEAD_END.length + (length < 0 ? 0 : Number.parseInt(head.slice(length + LENGTH.length), 10))
      if (rest.length < end) return
      const id = head.indexOf(EVENT_ID) + EVENT_ID.length
      // Copied out of the bytes: a slice of `head` would keep the whole head in memory.
      const eventId = rest.toString("latin1", id, id + EVENT_ID_LENGTH)
      rest = rest.subarray(end)
      const answer = take(head, eventId)
      if (answer !== undefined) socket.write(answer)
    }
  })
}

const answerTo = async (question: Question): Promise<Answer> => {
  switch (question.ask) {
    case "reset":
      places = new Map()
      healthyEvents = 0
      awaited = undefined
      return { done: true }
    case "reached":
      await new Promise<void>((reached) => {
        awaited = { events: question.events, reached }
        tellReached()
      })
      return { done: true }
    case "tallies":
      return {
        tallies: Object.fromEntries(
          [...places].map(([path, { firstSeen, requests }]) => [path, { requests, events: firstSeen.size }])
        )
      }
    case "arrivals":
      return {
        arrivals: [...places]
          .filter(([, { healthy }]) => healthy)
          .flatMap(([path, { firstSeen }]) => [...firstSeen].map(([eventId, at]) => [path, eventId, at] as const))
      }
  }
}

const listening = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

const [plain, secure] = await Promise.all([
  listening(createServer(serve)),
  listening(
    createSecureServer({ cert: fixture("test-only-server.pem"), key: fixture("test-only-server-key.pem") }, serve)
  )
])
process.send?.({ ports: { http: plain, https: secure } } satisfies Answer)
process.on("message", async (question: Question) => process.send?.(await answerTo(question)))
process.once("disconnect", () => process.exit(0))
