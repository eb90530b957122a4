import { EGRESS_SETTINGS, parseInteger, readAll, setting, settings, settingsIn } from "@agent-platform/process"
import { Effect, Predicate, Record, Redacted } from "effect"

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

const declared = {
  databaseUrl: settings.databaseUrl,
  databasePoolMax: settings.databasePoolMax,
  secretsKey: settings.secretsKey,
  demoAgent: settings.demoAgent,
  webhookHeaderPrefix: settings.webhookHeaderPrefix,
  providerUrls: settings.providerUrls,
  platformKeys: {
    openai: platformKey("OPENAI", "OpenAI"),
    anthropic: platformKey("ANTHROPIC", "Anthropic"),
    google: platformKey("GOOGLE", "Google's Gemini")
  },
  runsMax,
  deliveriesMax,
  drainSeconds,
  runLogBytesMax
}

/** Every setting of the worker, for the documentation. */
export const SETTINGS = [
  ...settingsIn(declared),
  ...EGRESS_SETTINGS,
  settings.databaseSchema,
  settings.logLevel,
  ...settings.observability
]

/** The worker's settings; fails with SettingInvalid, which names the variable. */
export const config = Effect.map(readAll(declared), ({ platformKeys, ...given }) => ({
  ...given,
  platformKeys: Record.filter(platformKeys, Predicate.isNotNull)
}))
