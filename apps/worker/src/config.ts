import { parseInteger, read, setting, settings } from "@agent-platform/process"
import { Effect, Redacted } from "effect"

const runsMax = setting({
  variable: "WORKER_RUNS_MAX",
  decides:
    "Runs that one worker executes at once. From ten on, one organization alone gets nine in ten of them and one workspace eight in ten.",
  expects: "a whole number from 1 to 10000",
  fallback: "100",
  parse: parseInteger(1, 10_000)
})

const deliveriesMax = setting({
  variable: "WORKER_DELIVERIES_MAX",
  decides:
    "Webhook deliveries that one worker has in flight at once; those that take longer than a second come on top of it, about as many " +
    "at most.",
  expects: "a whole number from 1 to 4096",
  fallback: "128",
  parse: parseInteger(1, 4_096)
})

const drainSeconds = setting({
  variable: "WORKER_DRAIN_SECONDS",
  decides:
    "How long runs may go on after SIGTERM before they are handed back to the queue. `npm start` kills after 30 s.",
  expects: "a whole number from 0 to 3600",
  fallback: "15",
  parse: parseInteger(0, 3_600)
})

const runLogBytesMax = setting({
  variable: "RUN_LOG_BYTES_MAX",
  decides:
    "Most bytes of JSON of the data of one run's log events, over all of its attempts. A run that logs more fails as " +
    "`output_too_large`.",
  expects: "a whole number from 65536 to 1073741824",
  fallback: "16777216",
  parse: parseInteger(65_536, 1_073_741_824)
})

const NO_KEY = "none"

const platformKey = (name: string, provider: string) =>
  setting<Redacted.Redacted | null>({
    variable: `PLATFORM_${name}_API_KEY`,
    decides:
      `The platform's own key for ${provider}, for workspaces with \`allow_platform_keys\` whose ` +
      "[own keys](accounts.md#provider-keys) leave room for it. No other variable is ever taken for a key.",
    expects: `a key of visible ASCII characters, or ${NO_KEY}`,
    fallback: NO_KEY,
    parse: (text) => {
      if (text === NO_KEY) return null
      return /^[\x21-\x7e]+$/.test(text) ? Redacted.make(text) : undefined
    }
  })

const platformOpenaiKey = platformKey("OPENAI", "OpenAI")
const platformAnthropicKey = platformKey("ANTHROPIC", "Anthropic")
const platformGoogleKey = platformKey("GOOGLE", "Google's Gemini")

/** Every setting of the worker, for the documentation. */
export const SETTINGS = [
  settings.databaseUrl,
  settings.databaseSchema,
  settings.databasePoolMax,
  settings.secretsKey,
  settings.logLevel,
  ...settings.observability,
  settings.egressAllowLoopback,
  settings.demoAgent,
  settings.webhookHeaderPrefix,
  settings.providerOpenaiUrl,
  settings.providerAnthropicUrl,
  settings.providerGoogleUrl,
  settings.providersAllowLoopback,
  platformOpenaiKey,
  platformAnthropicKey,
  platformGoogleKey,
  runsMax,
  deliveriesMax,
  drainSeconds,
  runLogBytesMax
]

/** The worker's settings; fails with SettingInvalid, which names the variable. */
export const config = Effect.all({
  databaseUrl: read(settings.databaseUrl),
  databasePoolMax: read(settings.databasePoolMax),
  secretsKey: read(settings.secretsKey),
  egressAllowLoopback: read(settings.egressAllowLoopback),
  demoAgent: read(settings.demoAgent),
  webhookHeaderPrefix: read(settings.webhookHeaderPrefix),
  providerUrls: Effect.all({
    openai: read(settings.providerOpenaiUrl),
    anthropic: read(settings.providerAnthropicUrl),
    google: read(settings.providerGoogleUrl)
  }),
  providersAllowLoopback: read(settings.providersAllowLoopback),
  platformKeys: Effect.map(
    Effect.all({
      openai: read(platformOpenaiKey),
      anthropic: read(platformAnthropicKey),
      google: read(platformGoogleKey)
    }),
    ({ anthropic, google, openai }) => ({
      ...(openai === null ? {} : { openai }),
      ...(anthropic === null ? {} : { anthropic }),
      ...(google === null ? {} : { google })
    })
  ),
  runsMax: read(runsMax),
  deliveriesMax: read(deliveriesMax),
  drainSeconds: read(drainSeconds),
  runLogBytesMax: read(runLogBytesMax)
})
