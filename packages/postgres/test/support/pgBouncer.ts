/** The real PgBouncer, where it is installed. */
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface PgBouncerOptions {
  readonly mode: "session" | "transaction" | "statement"
  /** Further lines of its file. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Whether it can be started. */
export const hasPgBouncer = spawnSync("pgbouncer", ["--version"]).status === 0

/** Why a test goes without it. */
export const NO_PGBOUNCER = "pgbouncer is not installed here: its part of the test is left out"

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

/** Starts it before the database at `url`. Its clients need no password. */
export const startPgBouncer = async (url: string, { mode, settings = {} }: PgBouncerOptions) => {
  const { hostname, password, pathname, port: serverPort, username } = new URL(url)
  const home = mkdtempSync(join(tmpdir(), "agent-platform-pgbouncer-"))
  const port = await freePort()
  const file = join(home, "pgbouncer.ini")
  const lines = {
    listen_addr: "127.0.0.1",
    listen_port: String(port),
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: mode,
    default_pool_size: "40",
    ...settings
  }
  writeFileSync(
    file,
    [
      "[databases]",
      `${pathname.slice(1)} = host=${hostname} port=${serverPort} user=${username} password=${password}`,
      "[pgbouncer]",
      ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`),
      ""
    ].join("\n")
  )
  // It refuses to run as root, and reads its file as the other user.
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    chmodSync(home, 0o755)
    chmodSync(file, 0o644)
  }
  const child = spawn("pgbouncer", [...(isRoot ? ["-u", "nobody"] : []), file], { stdio: ["ignore", "ignore", "pipe"] })
  let log = ""
  child.stderr.on("data", (chunk) => (log += String(chunk)))
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer does not start:\n${log}`)
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  const pooled = new URL(url)
  pooled.host = `127.0.0.1:${port}`
  return {
    url: pooled.href,
    /** Its standard error so far. */
    log: () => log,
    stop: async () => {
      // At once: SIGINT would wait for the clients.
      child.kill("SIGTERM")
      await ended
      rmSync(home, { recursive: true, force: true })
    }
  }
}
