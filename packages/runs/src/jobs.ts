import { defineJob } from "@agent-platform/kernel"
import { Schema } from "effect"
import { RunId } from "./Run.ts"

/** A queued run may be executed now. */
export const executeRun = defineJob("runs.execute", Schema.Struct({ run_id: RunId }))

/** The topic that is raised whenever a run's log or state has grown. */
export const runChanged = (id: RunId): string => `run/${id}`
