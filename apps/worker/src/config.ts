import type { PlatformKey } from "@agent-platform/keys"
import {
  EGRESS_SETTINGS,
  readAll,
  type Setting,
  SettingInvalid,
  settingOr,
  settings,
  settingsIn,
  wholeSetting
} from "@agent-platform/process"
import { Effect, Predicate, Record, Redacted } from "effect"

const runsMax = wholeSetting(
  "WORKER_RUNS_MAX",
  "Runs that one worker executes at once. From ten on, one organization alone gets nine in ten of them and one workspace eight in ten.",
  [1, 10_000],
  100
)

const deliveriesMax = wholeSetting(
  "WORKER_DELIVERIES_MAX",
  "Webhook deliveries that one worker has in flight at once; those that take longer than a second come on top of it, about as many " +
    "at most.",
  [1, 4_096],
  128
)

const drainSeconds = wholeSetting(
  "WORKER_DRAIN_SECONDS",
  "How long runs may go on after SIGTERM before they are handed back to the queue. `npm start` kills after 30 s.",
  [0, 3_600],
  15
)

const runLogBytesMax = wholeSetting(
  "RUN_LOG_BYTES_MAX",
  "Most bytes of JSON of the data of one run's log events, over all of its attempts. A run that logs more fails as " +
    "`output_too_large`.",
  [65_536, 1_073_741_824],
  16_777_216
)

const platformKey = (name: string, provider: string) =>
  settingOr("none", null, {
    variable: `PLATFORM_${name}_API_KEY`,
    decides:
      `The platform's own key for ${provider}, for workspaces with \`allow_platform_keys\`, after ` +
      "their [own keys](accounts.md#provider-keys). No other variable is ever taken for a key.",
    expects: "a key of visible ASCII characters",
    parse: (text) => (/^[\x21-\x7e]+$/.test(text) ? Redacted.make(text) : undefined)
  })

/** A key for a provider whose keys have an address, and that. */
const platformKeyAt = (name: string, provider: string, example: string) => ({
  value: platformKey(name, provider),
  baseUrl: settingOr("none", null, {
    variable: `PLATFORM_${name}_BASE_URL`,
    decides: `Where PLATFORM_${name}_API_KEY is for, like the \`base_url\` of a workspace's key; both are set or none.`,
    expects: `an http or https URL without query, such as ${example}`,
    parse: settings.parseServiceUrl
  })
})

const BEDROCK_URL = "https://bedrock-runtime.eu-west-1.amazonaws.com"
const VERTEX_URL = "https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4"

const platformKeysAt = {
  azure: platformKeyAt("AZURE", "Azure OpenAI", "https://my-resource.openai.azure.com/openai/v1"),
  bedrock: platformKeyAt("BEDROCK", "Amazon Bedrock", BEDROCK_URL),
  vertex: platformKeyAt("VERTEX", "Vertex AI, the key file of a service account in base64", VERTEX_URL)
}

const declared = {
  databaseUrl: settings.databaseUrl,
  databasePoolMax: settings.databasePoolMax,
  secretsKey: settings.secretsKey,
  demoAgent: settings.demoAgent,
  recipes: settings.recipes,
  webhookHeaderPrefix: settings.webhookHeaderPrefix,
  providerUrls: settings.providerUrls,
  platformKeys: {
    openai: platformKey("OPENAI", "OpenAI"),
    anthropic: platformKey("ANTHROPIC", "Anthropic"),
    google: platformKey("GOOGLE", "Google's Gemini")
  },
  platformKeysAt,
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

interface KeyAt {
  readonly value: Setting<Redacted.Redacted | null>
  readonly baseUrl: Setting<string | null>
}

interface ValuesAt {
  readonly value: Redacted.Redacted | null
  readonly baseUrl: string | null
}

/** The key with its address; null without both. Fails when only one is set, which is a mistake. */
const keyAt = (of: KeyAt, { baseUrl, value }: ValuesAt): Effect.Effect<PlatformKey | null, SettingInvalid> => {
  if (value !== null && baseUrl !== null) return Effect.succeed({ value, baseUrl })
  if (value === null && baseUrl === null) return Effect.succeed(null)
  const [missing, given] = value === null ? [of.value, of.baseUrl] : [of.baseUrl, of.value]
  const detail = `is missing: ${given.variable} is set, and a key is used at its address alone`
  return Effect.fail(new SettingInvalid({ variable: missing.variable, detail }))
}

/** The worker's settings; fails with SettingInvalid, which names the variable. */
export const config = Effect.gen(function* () {
  const { platformKeys, platformKeysAt: valuesAt, ...given } = yield* readAll(declared)
  const plain = Record.map(platformKeys, (value): PlatformKey | null => value && { value, baseUrl: null })
  const addressed = yield* Effect.all(Record.map(platformKeysAt, (of, name) => keyAt(of, valuesAt[name])))
  return { ...given, platformKeys: Record.filter({ ...plain, ...addressed }, Predicate.isNotNull) }
})
