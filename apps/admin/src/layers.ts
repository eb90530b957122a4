import type { SecretBox } from "@agent-platform/kernel"
import { Keys, Tenancy } from "@agent-platform/keys"
import { Boss, PgBossJobSource, PgBossScheduler } from "@agent-platform/pg-boss"
import { CLOCK, FeedRetention, layerWorkspaceSpend, Scheduler, WebhookHistoryDays } from "@agent-platform/platform"
import { awaitSchema, layerClient, layer as layerPostgres, type PostgresPorts } from "@agent-platform/postgres"
import { layerCrypto, SettingInvalid } from "@agent-platform/process"
import { parseSecretsKey, SecretBoxAes, type SecretsKeyInvalid } from "@agent-platform/secrets"
import { Effect, Layer, type Redacted } from "effect"
import type { Digest, SecureRandom, Signature } from "effect/crypto"
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
): Layer.Layer<Keys | Tenancy | PostgresPorts | SqlClient.SqlClient | SecureRandom.SecureRandom, SqlError> =>
  Layer.mergeAll(Keys.layer, Layer.provide(Tenancy.layer, layerWorkspaceSpend)).pipe(
    Layer.provideMerge(layerCrypto),
    Layer.provideMerge(layerDatabase(url))
  )

/** What commands work with that open and seal secrets. Fails with SettingInvalid where SECRETS_KEY cannot be used. */
export const layerSecrets = (
  url: Redacted.Redacted,
  secretsKey: Redacted.Redacted
): Layer.Layer<
  PostgresPorts | SecretBox | Digest.Digest | SecureRandom.SecureRandom | Signature.Signature,
  SettingInvalid | SecretsKeyInvalid | SqlError
> =>
  Layer.unwrap(
    parseSecretsKey(secretsKey).pipe(
      Effect.mapError((invalid) => new SettingInvalid({ variable: "SECRETS_KEY", detail: invalid.detail })),
      Effect.map(SecretBoxAes.layer)
    )
  ).pipe(Layer.provideMerge(layerCrypto), Layer.provideMerge(layerDatabase(url)))

/** The scheduler: enqueues by the clock what comes due, and does what workers need not do. */
export const layerScheduler: Layer.Layer<never, SettingInvalid | SqlError> = Layer.unwrap(
  Effect.map(config, ({ databaseUrl, feedRetention, webhookHistoryDays }) =>
    Layer.mergeAll(Scheduler.layer, PgBossScheduler.layer({ url: databaseUrl }, CLOCK)).pipe(
      Layer.provide(Layer.provide(PgBossJobSource.layer, Boss.layer({ url: databaseUrl }))),
      // Nothing starts before the schema is there.
      Layer.provide(Layer.effectDiscard(awaitSchema)),
      Layer.provide(Layer.merge(layerDatabase(databaseUrl), layerCrypto)),
      Layer.provide(Layer.succeed(WebhookHistoryDays, webhookHistoryDays)),
      Layer.provide(Layer.succeed(FeedRetention, feedRetention))
    )
  )
)
