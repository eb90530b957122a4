/** The settings that several apps share. What one app alone has stands in its own config.ts. */
import { Redacted } from "effect"
import type { Level } from "./PinoLogger.ts"
import { parseBoolean, parseInteger, setting } from "./Setting.ts"

const LEVELS: ReadonlyArray<Level> = ["trace", "debug", "info", "warn", "error", "fatal", "silent"]

const isPostgresUrl = (text: string) => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "postgres:" || url.protocol === "postgresql:")
}

export const databaseUrl = setting({
  variable: "DATABASE_URL",
  decides: "The Postgres that holds everything.",
  expects: "the URL of a Postgres 14 or later, such as postgres://user:password@host:5432/database",
  fallback: undefined,
  parse: (text) => (isPostgresUrl(text) ? Redacted.make(text) : undefined)
})

export const databasePoolMax = setting({
  variable: "DATABASE_POOL_MAX",
  decides: "Most connections of this process to Postgres.",
  expects: "a whole number from 2 to 500",
  fallback: "10",
  parse: parseInteger(2, 500)
})

export const logLevel = setting({
  variable: "LOG_LEVEL",
  decides: "The least severe log level that is written.",
  expects: `one of ${LEVELS.join(", ")}`,
  fallback: "info",
  parse: (text) => LEVELS.find((level) => level === text.toLowerCase())
})

export const egressAllowLoopback = setting({
  variable: "EGRESS_ALLOW_LOOPBACK",
  decides:
    "Whether webhooks and calls of agents may go to http and https on this machine's loopback. For trying things out only.",
  expects: "true or false",
  fallback: "false",
  parse: parseBoolean
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
  decides: "The key that seals secrets at rest; several with commas between them, the current one first.",
  expects: "the base64 of 32 random bytes, as `openssl rand -base64 32` makes one",
  fallback: undefined,
  parse: (text) => Redacted.make(text)
})

const isServiceUrl = (url: URL) =>
  /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "" && url.password === ""

const providerUrl = (name: string, provider: string, fallback: string) =>
  setting({
    variable: `PROVIDER_${name}_URL`,
    decides: `Where ${provider} is called: what stands before /models in its addresses.`,
    expects: `an https URL without query, such as ${fallback}`,
    fallback,
    parse: (text) => {
      const url = URL.parse(text)
      return url !== null && isServiceUrl(url) ? url.href.replace(/\/+$/, "") : undefined
    }
  })

export const providerOpenaiUrl = providerUrl("OPENAI", "OpenAI", "https://api.openai.com/v1")
export const providerAnthropicUrl = providerUrl("ANTHROPIC", "Anthropic", "https://api.anthropic.com/v1")
export const providerGoogleUrl = providerUrl(
  "GOOGLE",
  "Google's Gemini",
  "https://generativelanguage.googleapis.com/v1beta"
)

export const providersAllowLoopback = setting({
  variable: "PROVIDERS_ALLOW_LOOPBACK",
  decides:
    "Whether model providers, and base URLs of provider keys, may be on this machine's loopback. For tests only.",
  expects: "true or false",
  fallback: "false",
  parse: parseBoolean
})
