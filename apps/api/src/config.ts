import { parseInteger, read, setting, settings } from "@agent-platform/process"
import { Effect } from "effect"

const port = setting({
  variable: "PORT",
  decides: "The port that the API listens on.",
  expects: "a whole number from 1 to 65535",
  fallback: "8080",
  parse: parseInteger(1, 65_535)
})

const host = setting({
  variable: "HOST",
  decides: "The address that the API listens on; 0.0.0.0 or :: for all of them.",
  expects: "an IP address or a host name",
  fallback: "127.0.0.1",
  parse: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined)
})

const isBaseUrl = (url: URL) =>
  /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === ""

/** How the documentation shows that the address follows from two other settings. */
const OWN_ADDRESS = "http://HOST:PORT"

const baseUrl = setting<string | null>({
  variable: "BASE_URL",
  decides: "Where callers reach the API.",
  expects: "an http or https URL without query, such as https://agents.example.com",
  fallback: OWN_ADDRESS,
  parse: (text) => {
    if (text === OWN_ADDRESS) return null
    const url = URL.parse(text)
    return url !== null && isBaseUrl(url) ? url.href.replace(/\/+$/, "") : undefined
  }
})

/** Every setting of the API, for the documentation. */
export const SETTINGS = [
  port,
  host,
  baseUrl,
  settings.databaseUrl,
  settings.databasePoolMax,
  settings.secretsKey,
  settings.logLevel,
  settings.egressAllowLoopback
]

const bracketed = (address: string): string => (address.includes(":") ? `[${address}]` : address)

/** The API's settings; fails with SettingInvalid, which names the variable. */
export const config = Effect.all({
  port: read(port),
  host: read(host),
  baseUrl: read(baseUrl),
  databaseUrl: read(settings.databaseUrl),
  databasePoolMax: read(settings.databasePoolMax),
  secretsKey: read(settings.secretsKey),
  egressAllowLoopback: read(settings.egressAllowLoopback)
}).pipe(
  Effect.map((given) => ({ ...given, baseUrl: given.baseUrl ?? `http://${bracketed(given.host)}:${given.port}` }))
)
