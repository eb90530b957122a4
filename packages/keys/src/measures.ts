/** Metrics of keys. */
import { defineMeasure } from "@agent-platform/toolkit"

export const refusalsUnrecorded = defineMeasure({
  name: "agent_platform_key_refusals_unrecorded_total",
  kind: "counter",
  labels: [],
  help: "Refusals of known API keys that are in no entry of activity: too many keys were refused at once, or the database was away."
})

/** All of them, for the documentation. */
export const KEY_MEASURES = [refusalsUnrecorded]
