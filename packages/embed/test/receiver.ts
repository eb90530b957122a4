/** A receiver on loopback, which keeps what comes and answers what it is told to. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly at: number
}

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: Array<Received>
  /** Waits until so many came. */
  readonly until: (count: number) => Promise<ReadonlyArray<Received>>
  status: number
}

export const startReceiver = async (): Promise<Receiver> => {
  const received: Array<Received> = []
  let waiting: Array<() => void> = []
  const receiver = { received, status: 200 } as { received: Array<Received>; status: number }
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (piece) => {
      body += piece
    })
    request.on("end", () => {
      received.push({ headers: request.headers, body, at: Date.now() })
      response.writeHead(receiver.status).end()
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hooks`,
    until: async (count: number) => {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
      return received
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
}
