import type { RunId } from "./Run.ts"

/** The topic that is raised whenever a queued run may be executed. */
export const RUNS_READY = "runs.ready"

/** The topic that is raised whenever a run's log or state has grown. */
export const runChanged = (id: RunId): string => `run/${id}`

/** The topic that is raised when a run has ended. */
export const runEnded = (id: RunId): string => `run/${id}/ended`

/** The topic that is raised when the cancellation of a running run is asked for. */
export const runCancelRequested = (id: RunId): string => `run/${id}/cancel`
