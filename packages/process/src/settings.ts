/** The settings that several apps share. Those of one app stand in its config.ts. */
import { DEFAULT_SCHEMA, parseSchema } from "@agent-platform/toolkit"
import { Redacted } from "effect"
import { readDatabaseUrl } from "./databaseUrl.ts"
import type { Level } from "./PinoLogger.ts"
import { parseInteger, setting, settingOr, wholeSetting } from "./Setting.ts"

const LEVELS: ReadonlyArray<Level> = ["trace", "debug", "info", "warn", "error", "fatal", "silent"]

export const databaseUrl = setting({
  variable: "DATABASE_URL",
  decides:
    "The Postgres that holds everything; several hosts with commas between them are tried in turn. Unix sockets, encryption and " +
    "every parameter: [the database's URL](operations.md#the-databases-url).",
  expects: "the URL of a Postgres 14 or later, such as postgres://user:password@host:5432/database",
  fallback: undefined,
  parse: readDatabaseUrl
})

export const databaseReplicaUrl = settingOr("none", null, {
  variable: "DATABASE_REPLICA_URL",
  decides:
    "A streaming standby of that Postgres, for the same role: [analytics and later pages of activity](operations.md#a-replica-for-readings) " +
    "are read from it while it is at most 5 s behind. `doctor` examines it.",
  expects: databaseUrl.expects,
  parse: databaseUrl.parse
})

export const databaseSchema = setting({
  variable: "DATABASE_SCHEMA",
  decides:
    "The schema of the database that holds the platform's tables. Installations in schemas of their own do not see each other. " +
    "pg-boss keeps its tables in `pgboss`, or in `<schema>_pgboss` beside a schema of another name.",
  expects: "a name of at most 40 lower-case letters, digits and underscores that does not begin with a digit or pg_",
  fallback: DEFAULT_SCHEMA,
  parse: parseSchema
})

export const databasePoolMax = wholeSetting(
  "DATABASE_POOL_MAX",
  "Most connections of this process to Postgres: see [connections](operations.md#connections). Of the admin commands only " +
    "`doctor` reads it.",
  [2, 500],
  10
)

export const port = wholeSetting(
  "PORT",
  "The port that the API listens on. Requests on behalf of organizations never go to this port of a process's own machine.",
  [1, 65_535],
  8080
)

export const logLevel = setting({
  variable: "LOG_LEVEL",
  decides: "The least severe log level that is written.",
  expects: `one of ${LEVELS.join(", ")}`,
  fallback: "info",
  parse: (text) => LEVELS.find((level) => level === text.toLowerCase())
})

const isBaseUrl = (url: URL) =>
  /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "" && url.password === ""

/** A base URL, as its text; undefined where it is none. */
export const parseBaseUrl = (text: string): string | undefined => {
  const url = URL.parse(text)
  return url !== null && isBaseUrl(url) ? url.href : undefined
}

/** The same without a slash at its end. */
export const parseServiceUrl = (text: string): string | undefined => parseBaseUrl(text)?.replace(/\/+$/, "")

/** The default in the documentation, which shows that the address follows from two other settings. */
const OWN_ADDRESS = "http://HOST:PORT"

export const baseUrl = setting<string | null>({
  variable: "BASE_URL",
  decides:
    "Where callers reach the API. Stands in problems and in the OpenAPI document, and in the requests of workers to " +
    "[agents of your own](agents.md#the-gateway), which call gateway and callbacks there; a worker without it offers neither.",
  expects: "an http or https URL without query, such as https://agents.example.com",
  fallback: OWN_ADDRESS,
  parse: (text) => (text === OWN_ADDRESS ? null : parseServiceUrl(text))
})

const DEMO_MODES = ["off", "safe", "full"] as const

export const demoAgent = setting({
  variable: "DEMO_AGENT",
  decides:
    "Whether there is the [recipe demo](agents.md#the-recipe-demo), which executes the steps in its input: off, not at all; safe, without the " +
    "step `spend` and with a second of sleep at most; full, with all steps. With full, anybody who may trigger a run of such an agent " +
    "can spend what its workspace may.",
  expects: `one of ${DEMO_MODES.join(", ")}`,
  fallback: "off",
  parse: (text) => DEMO_MODES.find((mode) => mode === text)
})

export const recipes = settingOr("none", null, {
  variable: "RECIPES",
  decides:
    "A file of TypeScript or JavaScript with [recipes of your own](agents.md#recipes-of-your-own), looked for from the folder in which " +
    "the process is started. All processes over one database must agree on it.",
  expects: "the path of a module, such as ./mine.ts",
  parse: (text) => (text.includes("\u0000") ? undefined : text)
})

export const webhookHeaderPrefix = setting({
  variable: "WEBHOOK_HEADER_PREFIX",
  decides: "How the three delivery headers begin: <prefix>-signature, <prefix>-event-id, <prefix>-event-type.",
  expects: "a name of lower-case letters, digits and hyphens",
  fallback: "x-service",
  parse: (text) => (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && text.length <= 64 ? text : undefined)
})

export const secretsKey = setting({
  variable: "SECRETS_KEY",
  decides:
    "The key that seals secrets at rest; several with commas between them, the current one first, each perhaps as `id:base64`. See " +
    "[the secrets key](operations.md#the-secrets-key).",
  expects: "the base64 of 32 random bytes, as `openssl rand -base64 32` makes one",
  fallback: undefined,
  parse: (text) => Redacted.make(text)
})

export const metricsPort = settingOr("off", null, {
  variable: "METRICS_PORT",
  decides:
    "The port that this process serves its [metrics](operations.md#metrics) on, in the format of Prometheus, at /metrics. Under " +
    "`npm start` it is the API's; the worker takes the next one and the scheduler the one after.",
  expects: "a whole number from 1 to 65535",
  parse: parseInteger(1, 65_535)
})

export const metricsHost = setting({
  variable: "METRICS_HOST",
  decides: "The address that metrics are served on; 0.0.0.0 or :: for all of them. They ask for no credential.",
  expects: "an IP address or a host name",
  fallback: "127.0.0.1",
  parse: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined)
})

export const otlpEndpoint = settingOr("off", null, {
  variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
  decides: "Where [traces](operations.md#traces) are sent, by OTLP over HTTP: what stands before /v1/traces.",
  expects: "an http or https URL without query, such as http://127.0.0.1:4318",
  parse: parseServiceUrl
})

export const traceRatio = setting({
  variable: "OTEL_TRACES_SAMPLER_ARG",
  decides: "Which part of the requests is traced that do not say so themselves by a traceparent.",
  expects: "a number from 0 to 1",
  fallback: "1",
  parse: (text) => (/^(0|1|0?\.\d{1,9}|1\.0+|0\.0+)$/.test(text) ? Number(text) : undefined)
})

/** Pairs as OpenTelemetry writes them in variables: `name=value`, with commas between, and percent-encoded values. */
const parsePairs = (text: string, isName: (name: string) => boolean): Readonly<Record<string, string>> | undefined => {
  const pairs: Array<readonly [string, string]> = []
  for (const part of text.split(",")) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(part.trim()) ?? []
    if (!isName(name.trim()) || /%(?![0-9a-f]{2})/i.test(value)) return undefined
    try {
      pairs.push([name.trim(), decodeURIComponent(value.trim())])
    } catch {
      return undefined
    }
  }
  return Object.fromEntries(pairs)
}

export const otlpHeaders = settingOr("none", Redacted.make<Readonly<Record<string, string>>>({}), {
  variable: "OTEL_EXPORTER_OTLP_HEADERS",
  decides:
    "Headers of the requests that take [traces](operations.md#traces) to the collector, its credential among them.",
  expects: "pairs such as api-key=abc, with commas between and percent-encoded values",
  parse: (text) => {
    const pairs = parsePairs(text, (name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name))
    const areSendable = pairs !== undefined && Object.values(pairs).every((value) => /^[\t\x20-\x7e]*$/.test(value))
    return areSendable ? Redacted.make(pairs) : undefined
  }
})

export const otlpResource = settingOr<Readonly<Record<string, string>>, Readonly<Record<string, string>>>(
  "none",
  {},
  {
    variable: "OTEL_RESOURCE_ATTRIBUTES",
    decides:
      "What the spans of this process say of where it runs, such as `deployment.environment.name`. `service.name` stays that of the app.",
    expects: "pairs such as deployment.environment.name=production, with commas between and percent-encoded values",
    parse: (text) => parsePairs(text, (name) => name !== "")
  }
)

export const buildRevision = setting({
  variable: "BUILD_REVISION",
  decides:
    "The revision of the code that runs here, which [metrics](operations.md#metrics) and traces name. The image has it built in.",
  expects: "a word of at most 64 letters, digits, dots, hyphens and underscores",
  fallback: "unknown",
  parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined)
})

/** The settings of metrics and traces, which every process has. */
export const observability = [
  metricsPort,
  metricsHost,
  buildRevision,
  otlpEndpoint,
  otlpHeaders,
  otlpResource,
  traceRatio
] as const

const providerUrl = (name: string, provider: string, fallback: string) =>
  setting({
    variable: `PROVIDER_${name}_URL`,
    decides: `Where ${provider} is called: what stands before /models in its addresses.`,
    expects: `an http or https URL without query, such as ${fallback}`,
    fallback,
    parse: parseServiceUrl
  })

/** Where model providers are called. */
export const providerUrls = {
  openai: providerUrl("OPENAI", "OpenAI", "https://api.openai.com/v1"),
  anthropic: providerUrl("ANTHROPIC", "Anthropic", "https://api.anthropic.com/v1"),
  google: providerUrl("GOOGLE", "Google's Gemini", "https://generativelanguage.googleapis.com/v1beta"),
  googleToken: setting({
    variable: "PROVIDER_GOOGLE_TOKEN_URL",
    decides: "Where service accounts of Google Cloud get their tokens, for keys of `vertex`.",
    expects: "an http or https URL without query, such as https://oauth2.googleapis.com/token",
    fallback: "https://oauth2.googleapis.com/token",
    parse: parseServiceUrl
  })
}
