/** Other ways to the Postgres of the tests than its address: a Unix socket, and TLS. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TLSSocket } from "node:tls"
import { fileURLToPath } from "node:url"

const fixture = (name: string) => fileURLToPath(new URL(`../../../egress/test/fixtures/${name}`, import.meta.url))

/** Files in PEM: an authority, and a certificate of it for localhost with its key. */
export const CA_FILE = fixture("test-only-ca.pem")
export const CERT_FILE = fixture("test-only-server.pem")
export const KEY_FILE = fixture("test-only-server-key.pem")

const joined = (one: Socket, other: Socket) => {
  one.pipe(other).pipe(one)
  for (const socket of [one, other]) {
    socket.on("error", () => undefined)
    socket.on("close", () => {
      one.destroy()
      other.destroy()
    })
  }
}

const listening = (server: Server, at: { readonly path: string } | { readonly port: number; readonly host: string }) =>
  new Promise<() => Promise<void>>((resolve) => {
    const sockets = new Set<Socket>()
    server.on("connection", (socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
    })
    const stop = () =>
      new Promise<void>((stopped) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => stopped())
      })
    server.listen(at, () => resolve(stop))
  })

const toPostgres = (url: string) => {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname)
}

/** A folder with a Unix socket that leads to the Postgres at `url`, as a server at port 5432 has it. */
export const startSocket = async (url: string) => {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-socket-"))
  const server = createServer((client) => joined(client, toPostgres(url)))
  const stop = await listening(server, { path: join(folder, ".s.PGSQL.5432") })
  return {
    folder,
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** A way to the Postgres at `url` by TLS alone. `handshakes` are the servers' names and clients' certificates that were given. */
export const startTls = async (url: string) => {
  const handshakes: Array<{ readonly servername: string | false | null; readonly hasCertificate: boolean }> = []
  const server = createServer((client) => {
    client.on("error", () => undefined)
    client.once("data", (request) => {
      if (request.length !== 8 || request.readInt32BE(4) !== 80_877_103) return client.destroy()
      client.write("S")
      const secure = new TLSSocket(client, {
        isServer: true,
        cert: readFileSync(CERT_FILE),
        key: readFileSync(KEY_FILE),
        requestCert: true,
        rejectUnauthorized: false
      })
      secure.on("error", () => undefined)
      secure.once("secure", () => {
        const { servername } = secure as unknown as { readonly servername: string | false | null }
        handshakes.push({ servername, hasCertificate: Object.keys(secure.getPeerCertificate()).length > 0 })
        joined(secure, toPostgres(url))
      })
      return undefined
    })
  })
  const stop = await listening(server, { port: 0, host: "127.0.0.1" })
  const address = server.address()
  return { port: typeof address === "object" && address !== null ? address.port : 0, handshakes, stop }
}

/** A server that takes connections and never says a word. */
export const startSilent = async () => {
  const server = createServer((client) => client.on("error", () => undefined))
  const stop = await listening(server, { port: 0, host: "127.0.0.1" })
  const address = server.address()
  return { host: `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`, stop }
}
