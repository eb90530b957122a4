import { Keys } from "@agent-platform/keys"
import { Boss, PgBossJobSource, PgBossScheduler } from "@agent-platform/pg-boss"
import { SCHEDULED_JOBS, Scheduler, WebhookHistoryDays } from "@agent-platform/platform"
import { awaitSchema, layerClient, layer as layerPostgres, type PostgresPorts } from "@agent-platform/postgres"
import { layerCrypto, type SettingInvalid } from "@agent-platform/process"
import { Effect, Layer, type Redacted } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { config } from "./config.ts"

const layerDatabase = (url: Redacted.Redacted) =>
  layerPostgres.pipe(
    Layer.provideMerge(layerClient({ url, maxConnections: 4, applicationName: "agent-platform-admin" }))
  )

/** What commands over a database work with: every store, and identity. */
export const layerCommand = (
  url: Redacted.Redacted
): Layer.Layer<Keys | PostgresPorts | SqlClient.SqlClient | SecureRandom.SecureRandom, SqlError> =>
  Keys.layer.pipe(Layer.provideMerge(layerCrypto), Layer.provideMerge(layerDatabase(url)))

/** The scheduler: enqueues by the clock what comes due, and does it. */
export const layerScheduler: Layer.Layer<never, SettingInvalid | SqlError> = Layer.unwrap(
  Effect.map(config, ({ databaseUrl, webhookHistoryDays }) =>
    Layer.mergeAll(Scheduler.layer, PgBossScheduler.layer({ url: databaseUrl }, SCHEDULED_JOBS)).pipe(
      Layer.provide(Layer.provide(PgBossJobSource.layer, Boss.layer({ url: databaseUrl }))),
      // Nothing starts before the schema is there.
      Layer.provide(Layer.effectDiscard(awaitSchema)),
      Layer.provide(layerDatabase(databaseUrl)),
      Layer.provide(Layer.succeed(WebhookHistoryDays, webhookHistoryDays))
    )
  )
)
