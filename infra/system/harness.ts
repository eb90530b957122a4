/** The platform as its users meet it: real processes over a database of their own, and receivers on loopback. */
import { type ChildProcess, fork } from "node:child_process"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { prepare } from "../../apps/admin/src/prepare.ts"
import {
  APP,
  connected,
  makeDatabase as makeOwned,
  makeRoles,
  OWNER,
  urlOf
} from "../../packages/postgres/test/support/roles.ts"
import { ensureTemplate } from "../../packages/postgres/test/support/template.ts"
import { type AppName, appBundle, appSources } from "../local/appBundles.ts"
import { flagsOf, MEMORY_ENVIRONMENT } from "../local/memory.mjs"
import { freePort } from "../local/postgres/freePort.ts"
import { credentialIn } from "../local/suite/credentialIn.ts"

/** The key that seals in every app of these tests. */
export const SECRETS_KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

/**
 * Looks until there is something else than undefined or false, and answers that. Looks every few milliseconds first, and less often the
 * longer it takes, up to every `millisMax`: a look costs a process work, and a lease that has to end takes ten seconds. Fails with `what`
 * when it is late.
 */
export const until = async <A>(
  what: string,
  look: () => Promise<A | undefined> | A | undefined,
  seconds = 120,
  millisMax = 250
): Promise<A> => {
  const begunAt = Date.now()
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    const waited = Date.now() - begunAt
    if (waited > seconds * 1000) throw new Error(`Waited ${seconds} s in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(millisMax, 15 + waited / 20)))
  }
}

/** A database of its own on the server at `superuserUrl`, migrated by its owner, with the demo workspace in it. */
export const makeDatabase = async (superuserUrl: string) => {
  const server = { superuserUrl }
  const name = `agent_platform_system_${crypto.randomUUID().replaceAll("-", "")}`
  const asAdmin = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
    Effect.runPromise(connected(Redacted.make(superuserUrl), use))
  await asAdmin(
    Effect.fnUntraced(function* (sql) {
      yield* makeRoles(server, sql)
      yield* makeOwned(sql, name, yield* ensureTemplate(server, sql))
    }, Effect.orDie)
  )
  // Without a role the URL is the superuser's.
  const [url, ownerUrl, adminUrl] = ([APP, OWNER, undefined] as const).map((role) =>
    Redacted.value(urlOf(server, name, role))
  ) as [string, string, string]
  const credentials = await prepare({
    databaseUrl: url,
    databaseOwnerUrl: ownerUrl,
    secretsKey: SECRETS_KEY,
    known: null
  })
  return {
    /** The URL of the role of the apps. */
    url,
    ownerUrl,
    superuserUrl: adminUrl,
    credentials,
    drop: () => asAdmin((sql) => sql`drop database ${sql(name)} with (force)`)
  }
}

/** One app in a process of its own. Ending it fails when its log holds a credential. */
export interface App {
  readonly pid: number
  /** Its standard output and error so far. */
  readonly log: () => string
  /** Ends it at once, as a crash would. */
  readonly kill: () => Promise<void>
  /** Asks it to stop, and answers its exit code. */
  readonly stop: () => Promise<number | null>
}

/** The longest that an app may take to be ready, on a machine that has much else to do. */
const START_MILLIS_MAX = 120_000

/** The longest that an app may take to end: its drain, and what it has under way. */
const STOP_MILLIS_MAX = 45_000

/** The longest that a request may take: the API answers every one sooner, streams and all. */
const ANSWER_MILLIS_MAX = 90_000

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else child.once("exit", (code) => resolve(code))
  })

/**
 * Starts an app and waits until it says that it is ready. Its log goes to this process's standard error if it fails. `flags` are
 * for its Node, behind those that it has anyway. With "sources" it is started as it is shipped, and not from a bundle of that.
 */
export const startApp = async (
  name: AppName,
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  flags: ReadonlyArray<string> = [],
  from: "bundle" | "sources" = "bundle"
): Promise<App> => {
  const startable = from === "bundle" ? await appBundle(name) : appSources(name)
  const child = fork(startable.main, [], {
    execArgv: [...process.execArgv, ...flagsOf(name), ...flags],
    env: {
      ...MEMORY_ENVIRONMENT,
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      SECRETS_KEY,
      EGRESS_ALLOW_LOOPBACK: "true",
      DEMO_AGENT: "full",
      LOG_LEVEL: "warn",
      ...startable.environment,
      ...environment
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"]
  })
  let log = ""
  child.stdout?.on("data", (chunk) => (log += String(chunk)))
  child.stderr?.on("data", (chunk) => (log += String(chunk)))
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error(`The ${name} was not ready within ${START_MILLIS_MAX} ms:\n${log}`))
    }, START_MILLIS_MAX)
    child.once("message", () => {
      clearTimeout(late)
      resolve()
    })
    child.once("exit", (code) => {
      clearTimeout(late)
      reject(new Error(`The ${name} ended with ${code} before it was ready:\n${log}`))
    })
  })
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal)
    let isLate = false
    const killing = setTimeout(() => {
      isLate = true
      child.kill("SIGKILL")
    }, STOP_MILLIS_MAX)
    const code = await ended(child)
    clearTimeout(killing)
    if (isLate) throw new Error(`The ${name} did not end within ${STOP_MILLIS_MAX} ms of being asked to:\n${log}`)
    if (credentialIn(log) !== undefined) throw new Error(`The ${name} has logged a credential:\n${log}`)
    return code
  }
  return {
    pid: child.pid ?? 0,
    log: () => log,
    kill: () => end("SIGKILL").then(() => undefined),
    stop: () => end("SIGTERM")
  }
}

/** The API in a process of its own, and how it is asked. `environment` may follow from the port. */
export const startApi = async (
  databaseUrl: string,
  environment: (port: number) => Promise<Readonly<Record<string, string>>> = async () => ({}),
  from: "bundle" | "sources" = "bundle"
) => {
  const port = await freePort()
  const settings = { PORT: String(port), HOST: "127.0.0.1", ...(await environment(port)) }
  const start = () => startApp("api", databaseUrl, settings, [], from)
  let app = await start()
  const ask = async (
    key: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {}
  ) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      signal: AbortSignal.timeout(ANSWER_MILLIS_MAX),
      headers: {
        ...headers,
        "x-api-key": key,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return {
    port,
    pid: () => app.pid,
    ask,
    log: () => app.log(),
    kill: () => app.kill(),
    stop: () => app.stop(),
    restart: async () => {
      app = await start()
    }
  }
}

/** A request as a receiver got it. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver's answer to a request, by its number and body: a status, the text of a 200, or undefined to leave it hanging. */
export type Answer = (number: number, body: string) => number | string | undefined

/** A receiver on loopback. */
export const startReceiver = async (answer: Answer = () => 200) => {
  const received: Array<Received> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      received.push({ headers: request.headers, body })
      const answered = answer(received.length, body)
      if (typeof answered === "string") response.end(answered)
      else if (answered !== undefined) response.writeHead(answered).end("thank you")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
