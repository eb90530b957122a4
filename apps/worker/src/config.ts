import {
  EGRESS_SETTINGS,
  PLATFORM_KEY_SETTINGS,
  QUOTA_SETTINGS,
  readAll,
  readPlatformKeys,
  settings,
  settingsIn,
  wholeSetting
} from "@agent-platform/process"
import { Effect } from "effect"

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

/** Quotas of what templates bring to workspaces. */
const quotas = {
  agents: QUOTA_SETTINGS.agents,
  provider_keys: QUOTA_SETTINGS.provider_keys,
  tool_secrets: QUOTA_SETTINGS.tool_secrets
}

const declared = {
  databaseUrl: settings.databaseUrl,
  databasePoolMax: settings.databasePoolMax,
  secretsKey: settings.secretsKey,
  demoAgent: settings.demoAgent,
  recipes: settings.recipes,
  webhookHeaderPrefix: settings.webhookHeaderPrefix,
  providerUrls: settings.providerUrls,
  baseUrl: settings.baseUrl,
  runsMax,
  deliveriesMax,
  drainSeconds,
  runLogBytesMax,
  quotas
}

/** Every setting of the worker, for the documentation: also those that the egress and the start of the process read by themselves. */
export const SETTINGS = [
  ...settingsIn(declared),
  ...PLATFORM_KEY_SETTINGS,
  ...EGRESS_SETTINGS,
  settings.databaseSchema,
  settings.logLevel,
  ...settings.observability
]

/** The worker's settings; fails with SettingInvalid, which names the variable. */
export const config = Effect.gen(function* () {
  const given = yield* readAll(declared)
  return { ...given, platformKeys: yield* readPlatformKeys }
})
