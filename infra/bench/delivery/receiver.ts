/**
 * A receiver in a process of its own, over bare sockets: it must never be what limits a measurement. The first part of a
 * URL's path says how it answers: `/ok`, `/fail` (503) or `/hang` (never). Forked; it is asked by messages.
 */
import { createServer, type Socket } from "node:net"

/** What a receiver has seen of one endpoint's URL since it was last reset. */
export interface Tally {
  /** Requests, the same event again included. */
  readonly requests: number
  /** Different events. */
  readonly events: number
}

/** What the receiver is asked. `arrivals` are the times at which each event first came to each healthy path. */
export type Question = { readonly ask: "reset" } | { readonly ask: "tallies" } | { readonly ask: "arrivals" }

/** What it answers, in the order it was asked. */
export type Answer =
  | { readonly port: number }
  | { readonly done: true }
  | { readonly tallies: Readonly<Record<string, Tally>> }
  | { readonly arrivals: ReadonlyArray<readonly [path: string, eventId: string, atMillis: number]> }

const ANSWERS: Readonly<Record<string, Buffer | undefined>> = {
  ok: Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
  fail: Buffer.from("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\nno")
}

const now = () => performance.timeOrigin + performance.now()

const EVENT_ID = "x-service-event-id: "
const EVENT_ID_LENGTH = 36

let requests = new Map<string, number>()
let firstSeen = new Map<string, Map<string, number>>()

const take = (head: string): Buffer | undefined => {
  const path = head.slice(head.indexOf(" ") + 1, head.indexOf(" HTTP/1.1"))
  const place = head.indexOf(EVENT_ID)
  const eventId = head.slice(place + EVENT_ID.length, place + EVENT_ID.length + EVENT_ID_LENGTH)
  requests.set(path, (requests.get(path) ?? 0) + 1)
  const seen = firstSeen.get(path) ?? new Map<string, number>()
  firstSeen.set(path, seen)
  if (!seen.has(eventId)) seen.set(eventId, now())
  return ANSWERS[path.split("/")[1] ?? ""]
}

const serve = (socket: Socket) => {
  let rest = ""
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk) => {
    rest = rest === "" ? chunk.toString("latin1") : rest + chunk.toString("latin1")
    for (;;) {
      const headEnd = rest.indexOf("\r\n\r\n")
      if (headEnd < 0) return
      const head = rest.slice(0, headEnd)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (rest.length < headEnd + 4 + length) return
      rest = rest.slice(headEnd + 4 + length)
      const answer = take(head)
      if (answer !== undefined) socket.write(answer)
    }
  })
}

const answerTo = ({ ask }: Question): Answer => {
  switch (ask) {
    case "reset":
      requests = new Map()
      firstSeen = new Map()
      return { done: true }
    case "tallies":
      return {
        tallies: Object.fromEntries(
          [...requests].map(([path, count]) => [path, { requests: count, events: firstSeen.get(path)?.size ?? 0 }])
        )
      }
    case "arrivals":
      return {
        arrivals: [...firstSeen]
          .filter(([path]) => path.startsWith("/ok"))
          .flatMap(([path, seen]) => [...seen].map(([eventId, at]) => [path, eventId, at] as const))
      }
  }
}

const server = createServer(serve).listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 } satisfies Answer)
})
process.on("message", (question: Question) => process.send?.(answerTo(question)))
process.once("disconnect", () => process.exit(0))
