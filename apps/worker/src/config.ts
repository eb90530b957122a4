import { parseInteger, read, setting, settings } from "@agent-platform/process"
import { Effect } from "effect"

const runsMax = setting({
  variable: "WORKER_RUNS_MAX",
  decides: "Runs that one worker executes at once.",
  expects: "a whole number from 1 to 10000",
  fallback: "100",
  parse: parseInteger(1, 10_000)
})

const deliveriesMax = setting({
  variable: "WORKER_DELIVERIES_MAX",
  decides: "Webhook deliveries that one worker has in flight at once.",
  expects: "a whole number from 1 to 4096",
  fallback: "128",
  parse: parseInteger(1, 4_096)
})

const drainSeconds = setting({
  variable: "WORKER_DRAIN_SECONDS",
  decides: "How long runs may go on after SIGTERM before they are handed back to the queue.",
  expects: "a whole number from 0 to 3600",
  fallback: "15",
  parse: parseInteger(0, 3_600)
})

/** Every setting of the worker, for the documentation. */
export const SETTINGS = [
  settings.databaseUrl,
  settings.databasePoolMax,
  settings.secretsKey,
  settings.logLevel,
  settings.egressAllowLoopback,
  settings.webhookHeaderPrefix,
  runsMax,
  deliveriesMax,
  drainSeconds
]

/** The worker's settings; fails with SettingInvalid, which names the variable. */
export const config = Effect.all({
  databaseUrl: read(settings.databaseUrl),
  databasePoolMax: read(settings.databasePoolMax),
  secretsKey: read(settings.secretsKey),
  egressAllowLoopback: read(settings.egressAllowLoopback),
  webhookHeaderPrefix: read(settings.webhookHeaderPrefix),
  runsMax: read(runsMax),
  deliveriesMax: read(deliveriesMax),
  drainSeconds: read(drainSeconds)
})
