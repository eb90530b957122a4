import { NO_QUOTAS, ProcessName, Quotas, SecretBox } from "@agent-platform/kernel"
import { Keys, Tenancy } from "@agent-platform/keys"
import {
  Boss,
  type BossDuties,
  PgBossJobQueue,
  PgBossJobSource,
  PgBossScheduler,
  queueReading
} from "@agent-platform/pg-boss"
import {
  CLOCK,
  FeedRetention,
  JOB_KINDS,
  jobReading,
  layerWorkspaceSetup,
  layerWorkspaceSpend,
  RunHistoryDays,
  Scheduler,
  WebhookHistoryDays
} from "@agent-platform/platform"
import {
  awaitSchema,
  DATABASE_READINGS,
  layerClient,
  layer as layerPostgres,
  type PostgresPorts,
  TIMEOUTS
} from "@agent-platform/postgres"
import { layerCrypto, layerMetrics, read, SettingInvalid, settings as shared } from "@agent-platform/process"
import { parseSecretsKey, SecretBoxAes } from "@agent-platform/secrets"
import { Effect, Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { checkDatabase, pooledAs } from "./checkDatabase.ts"
import { type AdminSettings, config } from "./config.ts"
import { holderOf } from "./holder.ts"

const connections = (url: Redacted.Redacted) =>
  layerClient({ url, maxConnections: 4, applicationName: "agent-platform-admin", timeouts: TIMEOUTS.jobs })

/** The database of a command, which fails with a line of text where that cannot be reached. */
const layerDatabase = (url: Redacted.Redacted) =>
  layerPostgres.pipe(Layer.provide(Layer.effectDiscard(checkDatabase(url))), Layer.provideMerge(connections(url)))

/** Seals by SECRETS_KEY. Where that is missing nothing is sealed or opened, which most commands never do. */
const layerSealing = Layer.unwrap(
  read(shared.secretsKey).pipe(
    Effect.flatMap(parseSecretsKey),
    Effect.map(SecretBoxAes.layer),
    Effect.orElseSucceed(() => SecretBox.layerNone)
  )
)

/** The services of commands over a database: every store, and identity. A workspace that is created gets its organization's templates. */
export const layerCommand = (url: Redacted.Redacted) =>
  Layer.mergeAll(Keys.layer, Layer.provide(Tenancy.layer, [layerWorkspaceSpend, layerWorkspaceSetup])).pipe(
    Layer.provide([Layer.succeed(Quotas, NO_QUOTAS), layerSealing]),
    Layer.provideMerge(layerCrypto),
    Layer.provideMerge(layerDatabase(url))
  )

/** The services of commands that open and seal secrets. Fails with SettingInvalid where SECRETS_KEY cannot be used. */
export const layerSecrets = (url: Redacted.Redacted, secretsKey: Redacted.Redacted) =>
  Layer.unwrap(
    parseSecretsKey(secretsKey).pipe(
      Effect.mapError((invalid) => new SettingInvalid({ variable: "SECRETS_KEY", detail: invalid.detail })),
      Effect.map(SecretBoxAes.layer)
    )
  ).pipe(Layer.provideMerge(layerCrypto), Layer.provideMerge(layerDatabase(url)))

/** The services of the scheduler's jobs over this database, and the queue for those of workers. */
const jobsOver = <E>(
  { databaseUrl, feedRetention, noticesMax, runHistoryDays, webhookHistoryDays }: AdminSettings,
  database: Layer.Layer<PostgresPorts | SqlClient.SqlClient, E>,
  duties: BossDuties = {}
) =>
  Layer.mergeAll(
    PgBossJobQueue.layer,
    PgBossJobSource.layer,
    Layer.succeed(WebhookHistoryDays, webhookHistoryDays),
    Layer.succeed(RunHistoryDays, runHistoryDays),
    Layer.succeed(FeedRetention, feedRetention),
    // An operator is bound by no quota, but notices are kept within theirs.
    Layer.succeed(Quotas, { ...NO_QUOTAS, notices: noticesMax })
  ).pipe(
    Layer.provideMerge(Boss.layer({ url: databaseUrl }, duties)),
    Layer.provideMerge(layerCrypto),
    Layer.provideMerge(database)
  )

/** The services of commands that do jobs or hand them to workers. */
export const layerJobs = (settings: AdminSettings) => jobsOver(settings, layerDatabase(settings.databaseUrl))

/** The stores and the queue, to be read whatever the settings of jobs say. */
export const layerReadings = (url: Redacted.Redacted) =>
  Boss.layer({ url }).pipe(Layer.provideMerge(layerDatabase(url)))

/** The scheduler: enqueues by the clock what comes due, and does what workers need not do. */
export const layerScheduler: Layer.Layer<never, SettingInvalid | SqlError> = Layer.unwrap(
  Effect.map(config, (settings) =>
    Layer.mergeAll(
      Scheduler.layer,
      PgBossScheduler.layer(CLOCK),
      layerMetrics<SqlClient.SqlClient | Boss | PostgresPorts>({
        readings: [...DATABASE_READINGS, queueReading(JOB_KINDS), jobReading(CLOCK)]
      })
    ).pipe(
      // Nothing starts before the schema is there.
      Layer.provide(
        Layer.effectDiscard(Effect.mapError(awaitSchema(settings.databaseUrl), pooledAs(shared.databaseUrl)))
      ),
      Layer.provide(Layer.succeed(ProcessName, holderOf("scheduler"))),
      Layer.provide(
        jobsOver(settings, Layer.provideMerge(layerPostgres, connections(settings.databaseUrl)), {
          schedules: true,
          supervises: true
        })
      )
    )
  )
)
