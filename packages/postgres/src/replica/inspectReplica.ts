import { Effect, Option, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { schemaState } from "../Migrations.ts"
import { layerClient } from "../Postgres.ts"
import { requireSessions } from "../pooling.ts"
import { askPrimary, askStandby, type PrimaryPosition, whyNoStandby } from "./askServers.ts"
import { REPLICA_LAG_SECONDS_MAX } from "./Replica.ts"

/**
 * The state of a replica: only a `standby`, which follows the primary closely, can be read from. `pooled`: reached through a pooler that
 * gives sessions to others. `other`: no standby of this primary. `schema`: not of this release. `why` ends a sentence about it.
 */
export type ReplicaState =
  | { readonly is: "standby" }
  | { readonly is: "pooled" | "behind" }
  | { readonly is: "other" | "schema"; readonly why: string }

/** How often the standby is asked how far it has come. */
const LOOK = "100 millis"

/** Returns once the standby has replayed the log up to a position. */
const caughtUp = (standby: SqlClient.SqlClient, written: bigint): Effect.Effect<void, SqlError> =>
  Effect.flatMap(askStandby(standby), ({ position }) =>
    position !== undefined && position >= written
      ? Effect.void
      : Effect.andThen(Effect.sleep(LOOK), caughtUp(standby, written))
  )

const inspect = Effect.fnUntraced(function* ({
  identity,
  position
}: PrimaryPosition): Effect.fn.Return<ReplicaState, SqlError, SqlClient.SqlClient> {
  const standby = yield* SqlClient.SqlClient
  const why = whyNoStandby(yield* askStandby(standby), identity)
  if (why !== undefined) return { is: "other", why }
  const inTime = yield* Effect.timeoutOption(caughtUp(standby, position), `${REPLICA_LAG_SECONDS_MAX} seconds`)
  if (Option.isNone(inTime)) return { is: "behind" }
  const state = yield* schemaState
  return state === "current" || state === "ahead"
    ? { is: "standby" }
    : { is: "schema", why: `has a schema that is ${state}` }
})

/** Compares the server of this URL with the primary; takes up to `REPLICA_LAG_SECONDS_MAX`. Fails where either cannot be asked. */
export const inspectReplica = (
  url: Redacted.Redacted,
  applicationName: string
): Effect.Effect<ReplicaState, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    yield* requireSessions(url)
    const primary = yield* askPrimary(yield* SqlClient.SqlClient)
    return yield* Effect.provide(inspect(primary), layerClient({ url, maxConnections: 1, applicationName }))
  }).pipe(Effect.catchTag("DatabasePooled", () => Effect.succeed<ReplicaState>({ is: "pooled" })))
