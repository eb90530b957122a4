import { Effect } from "effect"
import { examine } from "../doctor/examine.ts"
import { errorKindOf } from "./errorKind.ts"

/**
 * Findings whose messages hold only numbers and our own words. The messages of others may name roles, hosts and programs, or quote an
 * error, so only the kind of error is given for those.
 */
const GIVEN_WHOLE = new Set([
  ...["configuration.settings", "configuration.egress", "configuration.database_url", "configuration.secrets_key"],
  ...["database.sessions", "database.version", "database.writable", "database.durability", "database.connections"],
  ...["database.pools", "database.prepared_transactions", "database.schema", "clock.skew", "queues.runs"],
  ...["queues.lost_runs", "queues.events", "queues.deliveries", "queues.replays", "queues.partitions"],
  ...["queues.installed", "queues.jobs", "queues.failing", "jobs.clock"]
])

/** The doctor's findings, for which nobody outside is called. */
export const findingsSection = Effect.map(examine(undefined), (findings) =>
  findings.map(({ check, level, message }) =>
    GIVEN_WHOLE.has(check)
      ? { check, level, message }
      : { check, level, kind: level === "ok" ? null : errorKindOf(message) }
  )
)
