/** Very many streams and waiting answers under one key, which is then revoked. */
import { connect, type Socket } from "node:net"
import { until } from "../system/harness.ts"
import type { Stage } from "./reproduced.ts"

const STREAMS = 3_000
const WAITING = 3_000

/** How many connections are opened at once. */
const AT_ONCE = 50

/** The longest that their ends are waited for, in seconds. */
const END_SECONDS_MAX = 40

interface Open {
  readonly socket: Socket
  status: string
}

/** Opens a connection and sends a request; resolves once its answer begins, or at once where `isLate` says that it comes later. */
const opened = (port: number, head: string, { isLate }: { readonly isLate: boolean }): Promise<Open> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => {
      socket.write(head)
      if (isLate) resolve(open)
    })
    const open: Open = { socket, status: "" }
    socket.on("error", () => resolve(open))
    socket.on("data", (chunk) => {
      if (open.status === "") open.status = String(chunk).slice(9, 12)
      resolve(open)
    })
    socket.on("close", () => resolve(open))
  })

/** Opens them, revokes their key, and answers how many there were and how long they outlived it. */
export const revokedStreams = async ({ platform, tester }: Stage): Promise<() => Promise<string>> => {
  const { id, key } = await tester.make("POST", "/api/v1/auth/api-keys", { name: "Streams" })
  const body = JSON.stringify({ agent_id: await tester.agentId(), input: { steps: [{ sleep_ms: 600_000 }] } })
  const { run_id } = JSON.parse((await tester.ask("POST", "/api/v1/runs/", body)).text) as { readonly run_id: string }
  const head = (path: string, accept: string) =>
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\naccept: ${accept}\r\nconnection: close\r\n\r\n`
  const streams = ["/api/v1/notifications/stream", "/api/v1/runs/stream"].map((path) => head(path, "text/event-stream"))
  const waiting = head(`/api/v1/runs/${run_id}?wait_seconds=60`, "application/json")

  return async () => {
    const all: Array<Open> = []
    let next = 0
    const open = async () => {
      while (next < STREAMS + WAITING) {
        // By turns a stream and a waiting answer, and of the streams each kind.
        const turn = next++
        const stream = turn % 2 === 0 ? streams[(turn / 2) % streams.length] : undefined
        all.push(await opened(platform.port, stream ?? waiting, { isLate: stream === undefined }))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, open))
    const isOpen = ({ socket }: Open) => !socket.closed
    const count = all.filter(isOpen).length
    await tester.make("DELETE", `/api/v1/auth/api-keys/${id}`)
    const begunAt = performance.now()
    const ended = () => !all.some(isOpen) || undefined
    await until("all streams have ended", ended, END_SECONDS_MAX).catch(() => undefined)
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(1)
    const left = all.filter(isOpen).length
    const refused = all.filter(({ status }) => status === "429").length
    for (const { socket } of all) socket.destroy()
    return `${count} open, ${refused} refused; ${left} left ${seconds} s after the revocation`
  }
}
