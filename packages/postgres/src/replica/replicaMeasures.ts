/** Measures of the replica. */
import { counter, gauge } from "@agent-platform/toolkit"

export const replicaLag = gauge(
  "agent_platform_replica_lag_seconds",
  "For how long the replica may have missed what the primary has committed; since the start where that was never known."
)

export const replicaReads = counter(
  "agent_platform_replica_reads_total",
  "Readings that the replica may answer: by it (replica), or by the primary and why (behind, conflict, timeout, failed).",
  ["outcome"]
)

/** All of them, for the documentation. */
export const REPLICA_MEASURES = [replicaLag, replicaReads]
