import type { SecretBox } from "@agent-platform/kernel"
import { Keys } from "@agent-platform/keys"
import { Boss, PgBossJobSource, PgBossScheduler } from "@agent-platform/pg-boss"
import { SCHEDULED_JOBS, Scheduler } from "@agent-platform/platform"
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
): Layer.Layer<Keys | PostgresPorts | SqlClient.SqlClient | SecureRandom.SecureRandom, SqlError> =>
  Keys.layer.pipe(Layer.provideMerge(layerCrypto), Layer.provideMerge(layerDatabase(url)))

/** What commands about the records of runs work with: the keys, and what seals them. */
export const layerRecords = (
  url: Redacted.Redacted,
  secretsKey: Redacted.Redacted
): Layer.Layer<
  PostgresPorts | SecretBox | Digest.Digest | SecureRandom.SecureRandom | Signature.Signature,
  SettingInvalid | SecretsKeyInvalid | SqlError
> =>
  Layer.unwrap(
    Effect.map(
      Effect.mapError(
        parseSecretsKey(secretsKey),
        ({ detail }) => new SettingInvalid({ variable: "SECRETS_KEY", detail })
      ),
      (keys) => SecretBoxAes.layer(keys)
    )
  ).pipe(Layer.provideMerge(layerCrypto), Layer.provideMerge(layerDatabase(url)))

/** The scheduler: enqueues by the clock what comes due, and does it. */
export const layerScheduler: Layer.Layer<never, SettingInvalid | SqlError> = Layer.unwrap(
  Effect.map(config, ({ databaseUrl }) =>
    Layer.mergeAll(Scheduler.layer, PgBossScheduler.layer({ url: databaseUrl }, SCHEDULED_JOBS)).pipe(
      Layer.provide(Layer.provide(PgBossJobSource.layer, Boss.layer({ url: databaseUrl }))),
      // Nothing starts before the schema is there.
      Layer.provide(Layer.effectDiscard(awaitSchema)),
      Layer.provide(layerDatabase(databaseUrl))
    )
  )
)
