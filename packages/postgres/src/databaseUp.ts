/** Whether a process reaches its database. */
import { gauge, measure } from "@agent-platform/toolkit"
import { Cause, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { askDatabase } from "./askDatabase.ts"

/** How long the database may take to answer. Less than collectors wait, so that they get the other metrics without it. */
const ANSWER_TIMEOUT = "2 seconds"

const databaseUp = gauge(
  "agent_platform_database_up",
  "Whether the database answers this process within 2 s: 1, else 0."
)

/** For the documentation. */
export const UP_MEASURES = [databaseUp]

/** Asks the database for a sign of life, and notes whether there was one. */
export const readDatabaseUp: Effect.Effect<void, never, SqlClient.SqlClient> = askDatabase.pipe(
  Effect.timeout(ANSWER_TIMEOUT),
  Effect.matchCauseEffect({
    onSuccess: () => measure(databaseUp, {}, 1),
    onFailure: (cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : measure(databaseUp, {}, 0))
  })
)
