/** Measures of the replica. */
import { defineMeasure } from "@agent-platform/toolkit"

export const replicaLag = defineMeasure({
  name: "agent_platform_replica_lag_seconds",
  kind: "gauge",
  labels: [],
  help: "For how long the replica may have missed what the primary has committed; since the start where that was never known."
})

export const replicaReads = defineMeasure({
  name: "agent_platform_replica_reads_total",
  kind: "counter",
  labels: ["outcome"],
  help: "Readings that the replica may answer: by it (replica), or by the primary and why (behind, conflict, timeout, failed)."
})

/** All of them, for the documentation. */
export const REPLICA_MEASURES = [replicaLag, replicaReads]
