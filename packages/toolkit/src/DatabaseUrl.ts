/** The URL of a Postgres, read as libpq reads it: the one place that says what its parts mean. */
import { Result } from "effect"
import { type DatabaseTls, readTls, TLS_PARAMETERS } from "./DatabaseTls.ts"

/** A host of the URL. One that begins with `/` is the folder of a Unix socket. */
export interface DatabaseHost {
  readonly host: string
  readonly port: number
}

const SESSION_ATTRIBUTES = ["any", "read-write", "read-only", "primary", "standby"] as const

/** The kind of server to connect to. */
export type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number]

export interface DatabaseUrl {
  /** The servers in the order in which they are tried; one at least. */
  readonly hosts: ReadonlyArray<DatabaseHost>
  /** Undefined leaves it to the client, which takes the name of the operating system's user. */
  readonly user: string | undefined
  readonly password: string | undefined
  /** Undefined means the database that has the user's name. */
  readonly database: string | undefined
  readonly sessionAttributes: SessionAttributes
  readonly tls: DatabaseTls
  readonly applicationName: string | undefined
  /** Settings of the session, as `-c name=value`. */
  readonly options: string | undefined
  /** How long one host may take until it is connected to. */
  readonly connectSeconds: number
}

/** Short with several hosts, since one that does not answer holds up those behind it; a single host may be slow. */
const CONNECT_SECONDS = { single: 5, several: 2 }
const CONNECT_SECONDS_MAX = 300

const DEFAULT_PORT = "5432"

/** Every parameter that is understood. Others are refused, since ignoring one would silently leave out what it asks for. */
const PARAMETERS = new Set([
  ...["host", "port", "user", "password", "dbname"],
  ...["target_session_attrs", "application_name", "connect_timeout", "options", "channel_binding"],
  ...TLS_PARAMETERS
])

/** Why a URL is refused. It quotes no part of the URL: a password that is not encoded can end up in any of them. */
class Malformed extends Error {}

const refuse = (detail: string): never => {
  throw new Malformed(detail)
}

const decode = (text: string): string => {
  try {
    const decoded = decodeURIComponent(text)
    return decoded.includes("\0") ? refuse("must not hold %00") : decoded
  } catch (error) {
    if (error instanceof Malformed) throw error
    return refuse("holds a % that begins no encoded character: a % itself is written %25")
  }
}

const readParameters = (query: string): ReadonlyMap<string, string> => {
  const given = new Map<string, string>()
  for (const part of query.split("&").filter((one) => one !== "")) {
    const [name = "", ...rest] = part.split("=")
    if (!PARAMETERS.has(name)) {
      refuse(
        rest.length > 0 && /^[A-Za-z_]{1,40}$/.test(name)
          ? `has the parameter ${name}, which is not supported: those are ${[...PARAMETERS].sort().join(", ")}`
          : "has a parameter that is not supported; a ? or & in a password is written %3F or %26"
      )
    }
    if (given.has(name)) refuse(`has the parameter ${name} twice`)
    given.set(name, decode(rest.join("=")))
  }
  return given
}

/** `host:port`, each perhaps missing; IPv6 stands in brackets. */
const readPlace = (place: string): readonly [host: string, port: string] => {
  const [, bracketed, plain, port] =
    /^(?:\[([\da-fA-F:.%]+)\]|([^:[\]]*))(?::(\d*))?$/.exec(place) ??
    refuse(
      "has a host that is not host, host:port or [IPv6]:port; the characters @ / ? # : in a password are written %40 %2F %3F %23 %3A"
    )
  return [decode(bracketed ?? plain ?? ""), port ?? ""]
}

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535

/** The hosts in `list`, as they stand behind the @. The parameter `host` replaces all of them, with their ports. */
const readHosts = (list: string, parameters: ReadonlyMap<string, string>): ReadonlyArray<DatabaseHost> => {
  const places = list === "" ? [] : list.split(",").map(readPlace)
  const named = parameters.get("host")?.split(",")
  const hosts = named ?? places.map(([host]) => host)
  if (hosts.length === 0 || hosts.some((host) => host === "")) {
    refuse("names no host, or an empty one: a Unix socket's folder is named by ?host=/var/run/postgresql")
  }
  const ports = parameters.get("port")?.split(",") ?? (named === undefined ? places.map(([, port]) => port) : [""])
  if (ports.length !== 1 && ports.length !== hosts.length) refuse("must name one port, or as many as hosts")
  return hosts.map((host, index) => {
    const port = (ports.length === 1 ? ports[0] : ports[index]) || DEFAULT_PORT
    if (!isPort(port)) refuse("has a port that is not a whole number from 1 to 65535")
    return { host, port: Number(port) }
  })
}

const readConnectSeconds = (given: string | undefined, hosts: number): number => {
  if (given === undefined) return hosts > 1 ? CONNECT_SECONDS.several : CONNECT_SECONDS.single
  const seconds = /^\d{1,3}$/.test(given) ? Number(given) : 0
  return seconds >= 1 && seconds <= CONNECT_SECONDS_MAX
    ? seconds
    : refuse(`has a connect_timeout that is not a whole number of seconds from 1 to ${CONNECT_SECONDS_MAX}`)
}

/** The authority (`user:password@hosts`), the path without its slash, the query, and a # if there is one. */
const FORM = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(#)?/

const read = (text: string): DatabaseUrl => {
  const [, authority = "", path = "", query = "", fragment] =
    FORM.exec(text) ?? refuse("is not the URL of a Postgres: that begins with postgres:// or postgresql://")
  const at = authority.lastIndexOf("@")
  // A / ? or # in a password ends the authority too early, so that its @ is found behind it.
  if (fragment !== undefined || (at < 0 && /@/.test(path + query))) {
    refuse(
      "has a part that is not encoded: the characters @ / ? # in a user, password or parameter are written %40 %2F %3F %23"
    )
  }
  const parameters = readParameters(query)
  const [user = "", ...password] = authority.slice(0, Math.max(at, 0)).split(":")
  const hosts = readHosts(authority.slice(at + 1), parameters)
  const wanted = parameters.get("target_session_attrs") ?? "any"
  const binding = parameters.get("channel_binding") ?? "prefer"
  if (binding !== "prefer" && binding !== "disable") {
    refuse(
      "asks for channel_binding, which is not supported: leave it out, and let sslmode=verify-full tell servers apart"
    )
  }
  return {
    hosts,
    user: parameters.get("user") || decode(user) || undefined,
    password: parameters.get("password") || decode(password.join(":")) || undefined,
    database: parameters.get("dbname") || decode(path) || undefined,
    sessionAttributes:
      SESSION_ATTRIBUTES.find((one) => one === wanted) ??
      refuse(`has a target_session_attrs that is none of ${SESSION_ATTRIBUTES.join(", ")}`),
    tls: Result.getOrElse(readTls(parameters), refuse),
    applicationName: parameters.get("application_name") || undefined,
    options: parameters.get("options") || undefined,
    connectSeconds: readConnectSeconds(parameters.get("connect_timeout"), hosts.length)
  }
}

/**
 * Takes a URL apart. Fails with what is wrong, to end a sentence that begins with the name of a setting; no value of the URL
 * stands in it.
 */
export const parseDatabaseUrl = (text: string): Result.Result<DatabaseUrl, string> =>
  Result.try({
    try: () => read(text.trim()),
    catch: (error) => {
      if (error instanceof Malformed) return error.message
      throw error
    }
  })

/** How a host stands in messages. */
export const nameOfHost = ({ host, port }: DatabaseHost): string =>
  host.startsWith("/") ? `${host}/.s.PGSQL.${port}` : `${host.includes(":") ? `[${host}]` : host}:${port}`

/** Asks a server what `unfitness` judges by: whether it is a standby, and whether its transactions are read-only. */
export const ASK_FITNESS =
  "select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only')::boolean as is_read_only"

/** The row that it returns. */
export interface Fitness {
  readonly is_standby: boolean
  readonly is_read_only: boolean
}

/** Why a server is not what was asked for, to end a sentence about it; undefined where it is. */
export const unfitness = (wanted: SessionAttributes, { is_read_only, is_standby }: Fitness): string | undefined => {
  switch (wanted) {
    case "any":
      return undefined
    case "read-write":
      return is_standby ? "is a standby" : is_read_only ? "takes no writes" : undefined
    case "read-only":
      return is_standby || is_read_only ? undefined : "takes writes"
    case "primary":
      return is_standby ? "is a standby" : undefined
    case "standby":
      return is_standby ? undefined : "is a primary"
  }
}
