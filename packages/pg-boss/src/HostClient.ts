/** Clients for pg-boss's pool. Each connects to the first host of a URL whose server is of the kind that the URL asks for. */
import { readFileSync } from "node:fs"
import {
  ASK_FITNESS,
  type DatabaseHost,
  type DatabaseUrl,
  type Fitness,
  nameOfHost,
  tlsOptionsOf,
  unfitness
} from "@agent-platform/toolkit"
import pg from "pg"

const readText = (path: string): string => readFileSync(path, "utf8")

/** The options with which `pg` connects to a host of the URL. All are set, so that `pg` reads none from the environment. */
export const configFor = (url: DatabaseUrl, { host, port }: DatabaseHost): pg.ClientConfig => ({
  host,
  port,
  user: url.user,
  password: url.password,
  database: url.database,
  ssl: tlsOptionsOf(url.tls, host, readText),
  options: url.options,
  connectionTimeoutMillis: url.connectSeconds * 1_000
})

interface Queries {
  readonly query: (text: string) => Promise<{ readonly rows: ReadonlyArray<unknown> }>
}

/** Rejects where the server is not of the kind that the URL asks for (`target_session_attrs`). */
export const requireFit = async (url: DatabaseUrl, name: string, session: Queries): Promise<void> => {
  if (url.sessionAttributes === "any") return
  const { rows } = await session.query(ASK_FITNESS)
  const why = unfitness(url.sessionAttributes, rows[0] as Fitness)
  if (why !== undefined) throw new Error(`${name} ${why}`)
}

const sentenceOf = (name: string, error: unknown): string => {
  const said = error instanceof Error && error.message !== "" ? error.message : String(error)
  return said.startsWith(name) ? said : `${name}: ${said}`
}

/** Finds the host to connect to: tries a connection to each in turn, beginning with the host that was found the last time. */
const makeFinder = (url: DatabaseUrl) => {
  let lastFound = url.hosts[0]
  return async (): Promise<DatabaseHost> => {
    const failures: Array<string> = []
    for (const host of [...url.hosts].sort((one, two) => Number(two === lastFound) - Number(one === lastFound))) {
      const name = nameOfHost(host)
      const probe = new pg.Client({ ...configFor(url, host), application_name: "agent-platform-queue" })
      // Errors are thrown by the calls below; but an error event without a listener would end the process.
      probe.on("error", () => undefined)
      try {
        await probe.connect()
        await requireFit(url, name, probe)
        lastFound = host
        return host
      } catch (error) {
        failures.push(sentenceOf(name, error))
      } finally {
        probe.end().catch(() => undefined)
      }
    }
    throw new Error(`No host can be used: ${failures.join("; ")}`)
  }
}

/** The fields of a client that `pg` reads when it connects. */
interface Connecting {
  host: string
  port: number
  ssl: pg.ClientConfig["ssl"]
  readonly connection: { ssl: pg.ClientConfig["ssl"]; readonly stream: { readonly destroyed: boolean } }
}

/** The class of clients for a URL with several hosts: each finds its host before it connects, since `pg` supports one host only. */
export const makeHostClient = (url: DatabaseUrl): typeof pg.Client => {
  const find = makeFinder(url)
  return class HostClient extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const found = find().then((place) => {
        const { host, port, ssl } = configFor(url, place)
        const connecting = this as unknown as Connecting
        // The pool destroys the stream of a client that has taken too long to connect.
        if (connecting.connection.stream.destroyed) throw new Error("No host was found in time")
        Object.assign(connecting, { host, port, ssl })
        connecting.connection.ssl = ssl
      })
      if (callback === undefined) return found.then(() => super.connect())
      found.then(() => super.connect(callback), callback)
      return undefined
    }
  }
}
