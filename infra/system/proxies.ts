/** HAProxy and nginx as docs/operations.md configures them, in front of processes on loopback. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../local/postgres/freePort.ts"
import { until } from "./harness.ts"
import { blockOf } from "./operationsPage.ts"

/** The proxies by their programs. */
export const PROXIES = ["haproxy", "nginx"] as const
export type ProxyName = (typeof PROXIES)[number]

/** Whether its program can be started. */
export const hasProxy = (name: ProxyName): boolean => spawnSync(name, ["-v"]).status === 0

/** Replaces what the page says of a deployment's addresses, and fails where it says them otherwise. */
const withAddresses = (text: string, places: ReadonlyArray<readonly [written: string, here: string]>): string =>
  places.reduce((before, [written, here]) => {
    if (before.split(written).length !== 2) throw new Error(`docs/operations.md does not say ${written} once`)
    return before.replace(written, here)
  }, text)

/** The configuration of nginx around servers: it reads no file of the machine, and writes none outside of the folder. */
const aroundNginx = (servers: string, home: string): string =>
  [
    ...(process.getuid?.() === 0 ? ["user root;"] : []),
    "daemon off;",
    `pid ${home}/pid;`,
    "events {}",
    "http {",
    "access_log off;",
    ...["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${home}/${kind};`),
    servers,
    "}"
  ].join("\n")

const argumentsOf: Record<ProxyName, (file: string) => ReadonlyArray<string>> = {
  haproxy: (file) => ["-db", "-f", file],
  nginx: (file) => ["-e", "stderr", "-c", file]
}

const isListening = (port: number) =>
  new Promise<true | undefined>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true))
    socket.once("error", () => resolve(undefined)).once("connect", () => socket.destroy())
  })

/** Starts one before two APIs on these ports. */
export const startProxy = async (name: ProxyName, [first, second]: readonly [number, number]) => {
  const home = mkdtempSync(join(tmpdir(), `agent-platform-${name}-`))
  const port = await freePort()
  const configured = withAddresses(blockOf(name), [
    ["10.0.0.11:8080", `127.0.0.1:${first}`],
    ["10.0.0.12:8080", `127.0.0.1:${second}`],
    name === "nginx" ? ["listen 80;", `listen 127.0.0.1:${port};`] : ["bind :80", `bind 127.0.0.1:${port}`]
  ])
  const file = join(home, "proxy.cfg")
  writeFileSync(file, name === "nginx" ? aroundNginx(configured, home) : configured)
  const child = spawn(name, argumentsOf[name](file), { stdio: ["ignore", "ignore", "pipe"] })
  let log = ""
  child.stderr.on("data", (chunk) => (log += String(chunk)))
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  await until(`${name} listens`, () => {
    if (child.exitCode !== null) throw new Error(`${name} does not start:\n${log}`)
    return isListening(port)
  })
  return {
    port,
    /** Its standard error so far. */
    log: () => log,
    stop: async () => {
      child.kill("SIGTERM")
      await ended
      rmSync(home, { recursive: true, force: true })
    }
  }
}
