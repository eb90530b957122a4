/** A pooler as PgBouncer is one, small enough for a test: clients are many, and sessions of Postgres are lent to them. */
import { type AddressInfo, createServer, type Socket } from "node:net"
import pg from "pg"

/** For how long a client has a session: until its transaction ends, or until it leaves. */
export type PoolMode = "transaction" | "session"

export interface PoolerOptions {
  readonly mode: PoolMode
  /** Whether the session is lent next that was given back last, or the one that has waited longest. */
  readonly prefers?: "last" | "longest"
  /** Most sessions. */
  readonly size?: number
  /** Sessions that are open from the start. */
  readonly idle?: number
}

interface Server {
  readonly socket: Socket
  receive: (chunk: Buffer) => void
}

const [SSL_REQUEST, CANCEL_REQUEST] = [80_877_103, 80_877_102]

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Calls back with each whole message of a stream of them. */
const makeReader = (take: (type: string, whole: Buffer) => void) => {
  let pending = Buffer.alloc(0)
  return (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 5 && pending.length >= pending.readInt32BE(1) + 1) {
      const whole = pending.subarray(0, pending.readInt32BE(1) + 1)
      pending = pending.subarray(whole.length)
      take(String.fromCharCode(whole[0] ?? 0), whole)
    }
  }
}

/** A session that `pg` has opened and authenticated, as the bare stream of its messages. */
const openServer = async (connectionString: string): Promise<Server> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection
  stream.removeAllListeners()
  const server: Server = { socket: stream, receive: () => undefined }
  stream.on("data", (chunk: Buffer) => server.receive(chunk))
  stream.on("error", () => undefined)
  return server
}

/** Starts one before the Postgres at `url`. Its clients need no password, and are told a process id that is nobody's. */
export const startPooler = async (url: string, options: PoolerOptions) => {
  const { idle: opened = 0, mode, prefers = "last", size = 20 } = options
  const servers: Array<Server> = await Promise.all(Array.from({ length: opened }, () => openServer(url)))
  const idle = [...servers]
  const waiting: Array<(server: Server) => void> = []
  const clients = new Set<Socket>()

  const take = async (): Promise<Server> => {
    const found = prefers === "last" ? idle.pop() : idle.shift()
    if (found !== undefined) return found
    if (servers.length >= size) return new Promise((resolve) => waiting.push(resolve))
    const server = await openServer(url)
    servers.push(server)
    return server
  }
  const giveBack = (server: Server) => {
    server.receive = () => undefined
    const next = waiting.shift()
    if (next === undefined) idle.push(server)
    else next(server)
  }

  const serve = (client: Socket) => {
    let server: Server | undefined
    let isTaking = false
    let unanswered = 0
    const toServer: Array<Buffer> = []
    const fromServer = makeReader((type, whole) => {
      client.write(whole)
      if (type !== "Z") return
      unanswered--
      const isOver = mode === "transaction" && unanswered === 0 && whole[5] === "I".charCodeAt(0)
      if (isOver && server !== undefined && toServer.length === 0) {
        giveBack(server)
        server = undefined
      }
    })
    const flush = () => {
      for (const one of toServer.splice(0)) server?.socket.write(one)
    }
    const forward = makeReader((type, whole) => {
      if (type === "X") return
      if (type === "S" || type === "Q") unanswered++
      toServer.push(whole)
      if (server !== undefined) return flush()
      if (isTaking) return
      isTaking = true
      take().then((taken) => {
        server = taken
        taken.receive = fromServer
        isTaking = false
        flush()
      })
    })
    let isStarted = false
    client.on("data", (chunk: Buffer) => {
      if (isStarted) return forward(chunk)
      const code = chunk.readInt32BE(4)
      if (code === SSL_REQUEST) return client.write("N")
      if (code === CANCEL_REQUEST) return client.destroy()
      isStarted = true
      const key = Buffer.from("0000002a0000002a", "hex")
      const greeting = [message("R", Buffer.alloc(4)), message("K", key), message("Z", Buffer.from("I"))]
      client.write(Buffer.concat(greeting))
      return undefined
    })
    clients.add(client)
    client.on("error", () => undefined)
    client.on("close", () => {
      clients.delete(client)
      // One that is amid a transaction is not to be lent again.
      if (server !== undefined && unanswered === 0 && mode === "session") giveBack(server)
      else server?.socket.destroy()
    })
  }

  const listener = createServer(serve)
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  const pooled = new URL(url)
  pooled.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    url: pooled.href,
    stop: async () => {
      for (const client of clients) client.destroy()
      for (const { socket } of servers) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
    }
  }
}
