/** Metrics of keys. */
import { counter } from "@agent-platform/toolkit"

export const refusalsUnrecorded = counter(
  "agent_platform_key_refusals_unrecorded_total",
  "Refusals of known API keys that are in no entry of activity: too many keys were refused at once, or the database was away."
)

/** All metrics of keys, for the documentation. */
export const KEY_MEASURES = [refusalsUnrecorded]
