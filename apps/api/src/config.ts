import { parseNetwork, RATE_LIMIT_MAX, RATE_LIMIT_WINDOW_SECONDS_MAX, type RateLimit } from "@agent-platform/keys"
import {
  EGRESS_SETTINGS,
  PLATFORM_KEY_SETTINGS,
  parseInteger,
  QUOTA_SETTINGS,
  readAll,
  readPlatformKeys,
  SettingInvalid,
  setting,
  settingOr,
  settings,
  settingsIn,
  wholeSetting
} from "@agent-platform/process"
import { Effect } from "effect"
import type { IpNetwork } from "effect/net"
import { OAUTH_SETTINGS, oauthConfig } from "./oauthSettings.ts"
import { isLoopback, parseStartLink } from "./start-link/StartLink.ts"

const host = setting({
  variable: "HOST",
  decides: "The address that the API listens on; 0.0.0.0 or :: for all of them.",
  expects: "an IP address or a host name",
  fallback: "127.0.0.1",
  parse: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined)
})

/** The default in the documentation, which stands for the API's own address: dashboard and API are one site. */
const SAME_ADDRESS = "BASE_URL"

const dashboardUrl = setting<string | null>({
  variable: "DASHBOARD_URL",
  decides:
    "Where people work with the platform. A login leads to this origin and to no other, and pages of no other may call the API " +
    "from a browser with a person's session.",
  expects: "an http or https URL without query, such as https://agents.example.com",
  fallback: SAME_ADDRESS,
  parse: (text) => (text === SAME_ADDRESS ? null : settings.parseBaseUrl(text))
})

const ORIGINS_MAX = 100

/** The text if it is an origin (scheme, host and port) exactly as browsers send it. */
const parseOrigin = (text: string): string | undefined => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text ? text : undefined
}

const corsOrigins = settingOr<ReadonlyArray<string>, ReadonlyArray<string>>("none", [], {
  variable: "CORS_ORIGINS",
  decides:
    "The origins beside the dashboard's whose pages may call the API from a browser, with a key of their own and never with a person's " +
    "cookie: see [pages](http.md#pages-in-browsers).",
  expects: `up to ${ORIGINS_MAX} origins such as https://app.example.com with commas between them`,
  parse: (text) => {
    const origins = text.split(",").map((part) => parseOrigin(part.trim()))
    const known = origins.filter((origin) => origin !== undefined)
    return known.length === origins.length && known.length <= ORIGINS_MAX ? known : undefined
  }
})

const trustedProxies = settingOr<ReadonlyArray<IpNetwork.IpNetwork>, ReadonlyArray<IpNetwork.IpNetwork>>("none", [], {
  variable: "TRUSTED_PROXIES",
  decides:
    "The proxies before the API that are believed when X-Forwarded-For says whom a request came from: see " +
    "[the caller's address](operations.md#the-callers-address).",
  expects: "networks such as 10.0.0.0/8 or single addresses with commas between them",
  parse: (text) => {
    const networks = text.split(",").map((part) => parseNetwork(part.trim()))
    const known = networks.filter((network) => network !== undefined)
    return known.length === networks.length ? known : undefined
  }
})

const NO_LIMIT = "none"

const workspaceRateLimit = setting<RateLimit | null>({
  variable: "WORKSPACE_RATE_LIMIT",
  decides:
    "How many requests each workspace may make in how many seconds, by all of its keys and people together, beside the " +
    "[limits of keys](http.md#rate-limits).",
  expects: `two whole numbers such as 6000/60, or ${NO_LIMIT}`,
  fallback: "30000/60",
  parse: (text) => {
    if (text === NO_LIMIT) return null
    const [limit, windowSeconds, ...rest] = text.split("/")
    if (limit === undefined || windowSeconds === undefined || rest.length > 0) return undefined
    const parsed = {
      limit: parseInteger(1, RATE_LIMIT_MAX)(limit),
      windowSeconds: parseInteger(1, RATE_LIMIT_WINDOW_SECONDS_MAX)(windowSeconds)
    }
    return parsed.limit === undefined || parsed.windowSeconds === undefined
      ? undefined
      : { limit: parsed.limit, windowSeconds: parsed.windowSeconds }
  }
})

const STREAMS_MAX_MAX = 100_000

const streamsPerCredentialMax = wholeSetting(
  "STREAMS_PER_CREDENTIAL_MAX",
  "Most [streams, waiting answers and records](http.md#streams) that one API key or session may have open at a process.",
  [1, STREAMS_MAX_MAX],
  200
)

const streamsPerWorkspaceMax = wholeSetting(
  "STREAMS_PER_WORKSPACE_MAX",
  "Most streams, waiting answers and records that one workspace may have open at a process, by all of its keys and people together.",
  [1, STREAMS_MAX_MAX],
  1000
)

const streamsMax = wholeSetting(
  "STREAMS_MAX",
  "Most streams, waiting answers and records that a process has open; one organization may have half of them. An open stream takes " +
    "about 70 KB of memory.",
  [1, STREAMS_MAX_MAX],
  5000
)

const drainSeconds = wholeSetting(
  "API_DRAIN_SECONDS",
  "How long the API serves on after SIGTERM while `/readyz` answers 503 and every answer closes its connection, so that " +
    "[proxies go elsewhere](operations.md#restarts-behind-a-proxy). `npm start` kills after 30 s.",
  [0, 300],
  0
)

const startLink = settingOr("off", null, {
  variable: "START_LINK",
  decides:
    "The [link that signs in](dashboard.md#the-link-of-npm-start) who has started the platform on their own machine. `npm start` sets " +
    "it, and nothing else should: it is refused unless `HOST` and `BASE_URL` are this machine's loopback.",
  expects: "what `npm start` hands over",
  parse: parseStartLink
})

const declared = {
  port: settings.port,
  host,
  baseUrl: settings.baseUrl,
  dashboardUrl,
  corsOrigins,
  trustedProxies,
  workspaceRateLimit,
  quotas: QUOTA_SETTINGS,
  streams: {
    perCredential: streamsPerCredentialMax,
    perWorkspace: streamsPerWorkspaceMax,
    perProcess: streamsMax
  },
  drainSeconds,
  startLink,
  databaseUrl: settings.databaseUrl,
  databaseReplicaUrl: settings.databaseReplicaUrl,
  databasePoolMax: settings.databasePoolMax,
  secretsKey: settings.secretsKey,
  demoAgent: settings.demoAgent,
  recipes: settings.recipes,
  providerUrls: settings.providerUrls
}

/** Every setting of the API, for the documentation. */
export const SETTINGS = [
  ...settingsIn(declared),
  ...PLATFORM_KEY_SETTINGS,
  ...EGRESS_SETTINGS,
  ...OAUTH_SETTINGS,
  settings.databaseSchema,
  settings.logLevel,
  ...settings.observability
]

const bracketed = (address: string): string => (address.includes(":") ? `[${address}]` : address)

/** The API's settings; fails with SettingInvalid, which names the variable. */
export const config = Effect.gen(function* () {
  const given = yield* readAll(declared)
  const address = given.baseUrl ?? `http://${bracketed(given.host)}:${given.port}`
  if (given.startLink !== null && !(isLoopback(given.host) && isLoopback(new URL(address).hostname))) {
    const detail =
      "is for a HOST and a BASE_URL that are loopback: only npm start sets it, on the machine of who starts it"
    return yield* new SettingInvalid({ variable: startLink.variable, detail })
  }
  return {
    ...given,
    oauth: yield* oauthConfig,
    platformKeys: yield* readPlatformKeys,
    baseUrl: address,
    dashboardUrl: given.dashboardUrl ?? `${address}/`
  }
})
