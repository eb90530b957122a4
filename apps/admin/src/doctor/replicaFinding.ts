/** Judges the replica that readings may come from. Without it they come from the primary, so nothing here is a problem. */
import { faultOf } from "@agent-platform/platform"
import { inspectReplica, REPLICA_LAG_SECONDS_MAX, type ReplicaState } from "@agent-platform/postgres"
import { Effect, type Redacted } from "effect"
import { found, ok } from "./Finding.ts"

const CHECK = "database.replica"

/** How long the replica has to answer all questions, its lag among them. */
const REPLICA_SECONDS_MAX = 15

const unused = (why: string, advice: string) =>
  found("warning", CHECK, `The server of DATABASE_REPLICA_URL ${why}, so readings come from the primary`, advice)

const findingOf = (state: ReplicaState) => {
  switch (state.is) {
    case "standby":
      return ok(CHECK, "The replica is a standby of this database and follows it")
    case "pooled":
      return unused(
        "is a pooler that gives sessions to others between transactions",
        "Name the standby itself, or a pooler in session mode."
      )
    case "behind":
      return unused(
        `has not replayed within ${REPLICA_LAG_SECONDS_MAX} s what the primary had written`,
        "Look at pg_stat_replication on the primary, and at pg_is_wal_replay_paused() and long statements on the standby."
      )
    case "other":
      return unused(state.why, "Name a streaming standby; with several hosts, say target_session_attrs=standby.")
    case "schema":
      return unused(state.why, "Run 'admin migrate', and see that DATABASE_SCHEMA is that of the API.")
  }
}

/** The finding about the replica at this URL, beside the primary. */
export const replicaFinding = (url: Redacted.Redacted) =>
  inspectReplica(url, "agent-platform-admin").pipe(
    Effect.map(findingOf),
    Effect.timeout(`${REPLICA_SECONDS_MAX} seconds`),
    Effect.catchCause((cause) =>
      Effect.succeed(
        unused(
          `cannot be asked (${faultOf(cause)})`,
          "See that it runs, takes connections (hot_standby), and that role and password are right."
        )
      )
    )
  )
