import { hostname } from "node:os"
import { DEFAULT_QUOTAS, ProcessName, Quotas } from "@agent-platform/kernel"
import { PlatformKeys, ProviderKeys, ToolSecrets } from "@agent-platform/keys"
import { EgressProviderProbe, GenaiPriceBook, makeChatRecipe } from "@agent-platform/models"
import { Boss, PgBossJobQueue, PgBossJobSource, queueReading } from "@agent-platform/pg-boss"
import { CLOCK, JOB_KINDS, jobReading, layerBilling, layerSpendGuard, Platform } from "@agent-platform/platform"
import {
  awaitSchema,
  DATABASE_READINGS,
  type DatabasePooled,
  layerClient,
  layer as layerPostgres,
  type PostgresPorts,
  TIMEOUTS
} from "@agent-platform/postgres"
import {
  layerCrypto,
  layerEgress,
  layerMetrics,
  loadRecipes,
  SettingInvalid,
  settings as shared
} from "@agent-platform/process"
import { parseSecretsKey, SecretBoxAes, type SecretsKeyInvalid } from "@agent-platform/secrets"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { config } from "./config.ts"

const asSetting = ({ detail }: DatabasePooled) => new SettingInvalid({ variable: shared.databaseUrl.variable, detail })

/** Everything that a worker does: runs, deliveries, jobs for workers, and supervising the queue of jobs. */
export const layer: Layer.Layer<never, SettingInvalid | SecretsKeyInvalid | SqlError> = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* config
    const recipes = yield* loadRecipes(settings.recipes, Platform.OWN_RECIPES)
    const keys = yield* parseSecretsKey(settings.secretsKey).pipe(
      Effect.mapError((invalid) => new SettingInvalid({ variable: "SECRETS_KEY", detail: invalid.detail })),
      Effect.provide(layerCrypto)
    )
    const chatPorts = Layer.mergeAll(
      ProviderKeys.layer,
      ToolSecrets.layer,
      Layer.provide(layerSpendGuard, layerBilling)
    )
    const client = layerClient({
      url: settings.databaseUrl,
      maxConnections: settings.databasePoolMax,
      applicationName: "agent-platform-worker",
      timeouts: TIMEOUTS.work
    })
    const technology = Layer.mergeAll(PgBossJobQueue.layer, PgBossJobSource.layer).pipe(
      Layer.provideMerge(Boss.layer({ url: settings.databaseUrl }, { supervises: true })),
      Layer.provideMerge(layerPostgres),
      Layer.provideMerge(
        Layer.mergeAll(
          SecretBoxAes.layer(keys),
          Layer.provideMerge(EgressProviderProbe.layer(settings.providerUrls), layerEgress),
          PlatformKeys.layer(settings.platformKeys),
          GenaiPriceBook.layer
        )
      ),
      Layer.provideMerge(layerCrypto)
    )
    const workers = Layer.mergeAll(
      Layer.unwrap(
        Effect.map(makeChatRecipe({ urls: settings.providerUrls }), (chat) =>
          Platform.layerWorkers({
            recipes: [chat, ...recipes],
            runs: {
              concurrencyMax: settings.runsMax,
              drainSeconds: settings.drainSeconds,
              logBytesMax: settings.runLogBytesMax
            },
            demo: settings.demoAgent,
            baseUrl: settings.baseUrl,
            deliveries: { inFlightMax: settings.deliveriesMax, headerPrefix: settings.webhookHeaderPrefix }
          })
        )
      ).pipe(Layer.provide(chatPorts)),
      layerMetrics<SqlClient.SqlClient | Boss | PostgresPorts>({
        readings: [...DATABASE_READINGS, queueReading(JOB_KINDS), jobReading(CLOCK)]
      })
    )
    return workers.pipe(
      Layer.provide(Layer.succeed(ProcessName, `worker ${hostname()} ${process.pid}`)),
      Layer.provide(Layer.succeed(Quotas, { ...DEFAULT_QUOTAS, ...settings.quotas })),
      Layer.provide(technology),
      // Nothing starts before the schema is there.
      Layer.provide(Layer.effectDiscard(Effect.mapError(awaitSchema(settings.databaseUrl), asSetting))),
      Layer.provide(client)
    )
  })
)
