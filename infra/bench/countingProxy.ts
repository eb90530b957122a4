import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** The type bytes of the messages that run a statement: Execute and Query. PostgreSQL, 55.7 Message Formats. */
const RUNS_STATEMENT = new Set([0x45, 0x51])

/** Counts the statements in what a client sends: a startup packet without a type, then messages of type, length and body. */
const makeCounter = (onStatement: () => void) => {
  let pending = Buffer.alloc(0)
  let started = false
  return (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const type = started ? 1 : 0
      if (pending.length < type + 4) return
      const length = type + pending.readInt32BE(type)
      if (pending.length < length) return
      if (started && RUNS_STATEMENT.has(pending.readUInt8(0))) onStatement()
      started = true
      pending = pending.subarray(length)
    }
  }
}

/** A proxy before the Postgres at `url` that counts the statements passing through. It slows them: nothing is timed over it. */
export const startCountingProxy = async (url: string) => {
  const target = new URL(url)
  let statements = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const count = makeCounter(() => statements++)
    client.on("data", count)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const proxied = new URL(url)
  proxied.hostname = "127.0.0.1"
  proxied.port = String((server.address() as AddressInfo).port)
  return {
    url: proxied.href,
    statements: () => statements,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
