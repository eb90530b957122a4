import { isIPv6 } from "node:net"
import { resolve } from "node:path"
import { tryPort } from "./postgres/freePort.ts"

/** A setting is missing or wrong; the message names its variable. */
export class SettingsError extends Error {
  override readonly name = "SettingsError"
}

/** The environment variables of `npm start`, checked. */
export interface Settings {
  readonly port: number
  readonly host: string
  /** Absolute. */
  readonly dataDir: string
  /** Where the API is reached, without a slash at its end. */
  readonly baseUrl: string
  /** Where it is reached from this machine. */
  readonly localUrl: string
  /** Set: that Postgres is used, and none is embedded. */
  readonly external:
    | { readonly databaseUrl: string; readonly databaseOwnerUrl: string; readonly secretsKey: string }
    | undefined
  /** SECRETS_KEY of the environment, also beside an embedded Postgres. */
  readonly secretsKey: string | undefined
  /** DEMO_AGENT for the apps. */
  readonly demoAgent: string
  /** Whether everything is on this machine's loopback, so that a link may sign in who has started it. */
  readonly isLocal: boolean
  /** EGRESS_ALLOW_LOOPBACK for the apps; undefined leaves them their own default. */
  readonly egressAllowLoopback: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const read = (environment: Environment, name: string): string | undefined => {
  const value = environment[name]?.trim()
  return value === "" ? undefined : value
}

const readPort = (environment: Environment): number => {
  const text = read(environment, "PORT") ?? "8080"
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535)
    throw new SettingsError(`PORT must be a whole number from 1 to 65535, and it is "${text}".`)
  return port
}

const readUrl = (name: string, text: string, schemes: ReadonlyArray<string>): string => {
  if (schemes.includes(URL.parse(text)?.protocol ?? "")) return text
  // The value may hold a password: it is not repeated.
  throw new SettingsError(
    `${name} must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}.`
  )
}

/** Says what is wrong with the URL of a database. The caller gives it, since its modules take long to load and few starts need them. */
type Flaw = (text: string) => string | undefined

const requireDatabaseUrl = (name: string, text: string, flawOf: Flaw): string => {
  const flaw = flawOf(text)
  if (flaw === undefined) return text
  throw new SettingsError(`${name} ${flaw}.`)
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host)

const urlOn = (host: string, port: number): string => {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}

const readExternal = (environment: Environment, flawOf: Flaw): Settings["external"] => {
  const databaseUrl = read(environment, "DATABASE_URL")
  if (databaseUrl === undefined) return undefined
  const secretsKey = read(environment, "SECRETS_KEY")
  if (secretsKey === undefined) {
    throw new SettingsError(
      "SECRETS_KEY is missing. With DATABASE_URL it is yours to keep, because it opens what lies encrypted in that " +
        "database. Make one with: openssl rand -base64 32"
    )
  }
  const databaseOwnerUrl = read(environment, "DATABASE_OWNER_URL") ?? databaseUrl
  return {
    databaseUrl: requireDatabaseUrl("DATABASE_URL", databaseUrl, flawOf),
    databaseOwnerUrl: requireDatabaseUrl("DATABASE_OWNER_URL", databaseOwnerUrl, flawOf),
    secretsKey
  }
}

/** Reads the settings; a relative DATA_DIR starts at `root`. Fails with SettingsError at the first that is wrong. */
export const readSettings = (environment: Environment, root: string, flawOf: Flaw): Settings => {
  const host = read(environment, "HOST") ?? "127.0.0.1"
  const port = readPort(environment)
  const external = readExternal(environment, flawOf)
  // Whoever tries the platform on this machine alone has agents and webhooks on it, too.
  const loopback = external === undefined && isLoopback(host) ? "true" : undefined
  const localUrl = urlOn(host, port)
  const baseUrl = readUrl("BASE_URL", read(environment, "BASE_URL") ?? localUrl, ["http:", "https:"])
  return {
    port,
    host,
    dataDir: resolve(root, read(environment, "DATA_DIR") ?? ".data"),
    baseUrl: baseUrl.replace(/\/+$/, ""),
    localUrl,
    external,
    secretsKey: read(environment, "SECRETS_KEY"),
    demoAgent: read(environment, "DEMO_AGENT") ?? "full",
    isLocal: isLoopback(host) && isLoopback(new URL(baseUrl).hostname.replace(/^\[|\]$/g, "")),
    egressAllowLoopback: read(environment, "EGRESS_ALLOW_LOOPBACK") ?? loopback
  }
}

/** Fails with a sentence that names PORT or HOST when no server can listen there. */
export const requireFreePort = async ({ host, port }: Settings): Promise<void> => {
  const answer = await tryPort(port, host)
  if (answer === "free") return
  if (answer === "EADDRINUSE") {
    throw new Error(`PORT ${port} on ${host} is taken by another program. Stop that, or set PORT to another port.`)
  }
  if (answer === "EACCES")
    throw new Error(`PORT ${port} on ${host} may not be used by this user. Set PORT to one above 1023.`)
  throw new SettingsError(`HOST ${host} is no address that this machine can listen on (${answer}).`)
}
