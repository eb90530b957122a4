/** The same over the ledger in Postgres, by the clock of the server. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { PlatformKeys } from "@agent-platform/keys"
import { layerProviderProbe } from "@agent-platform/keys/memory"
import { layer as postgres } from "@agent-platform/postgres"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "../../../postgres/test/support/database.ts"
import { LetExpire, spendingSuite } from "./spendingSuite.ts"

const letExpire = Effect.map(SqlClient.SqlClient, (sql) =>
  sql`update agent_platform.call_reservation set expires_at = now()`.pipe(Effect.asVoid, Effect.orDie)
)

const under = Layer.mergeAll(
  postgres,
  layerProviderProbe,
  PlatformKeys.layer({}),
  Layer.effect(LetExpire, letExpire)
).pipe(Layer.provideMerge(kernel), Layer.provideMerge(databaseLayer))

spendingSuite("the money of runs over Postgres", {}, { under, factor: 1, runs: 6 })
