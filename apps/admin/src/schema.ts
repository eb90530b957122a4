import { install } from "@agent-platform/pg-boss"
import { JOB_KINDS } from "@agent-platform/platform"
import { layerClient, migrate } from "@agent-platform/postgres"
import { Effect, type Redacted } from "effect"
import { reached } from "./reached.ts"

/**
 * Brings the database up to date: the queue's schema and then ours, so that a database whose migrations are current is
 * ready. Answers the migrations that were run. Any number of processes may do so at once.
 */
export const bringUpToDate = (url: Redacted.Redacted) =>
  reached.pipe(
    Effect.andThen(install({ url }, JOB_KINDS)),
    Effect.andThen(migrate),
    Effect.provide(layerClient({ url, maxConnections: 2, applicationName: "agent-platform-admin" }))
  )
