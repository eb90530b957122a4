import { EgressGuard } from "@agent-platform/egress"
import { Boss, PgBossJobQueue, PgBossJobSource, PgBossSupervisor } from "@agent-platform/pg-boss"
import { Platform } from "@agent-platform/platform"
import { awaitSchema, layerClient, layer as layerPostgres } from "@agent-platform/postgres"
import { layerCrypto, SettingInvalid } from "@agent-platform/process"
import { parseSecretsKey, SecretBoxAes, type SecretsKeyInvalid } from "@agent-platform/secrets"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { config } from "./config.ts"

/** Everything that a worker does: runs, deliveries, and the care for the queue that both live on. */
export const layer: Layer.Layer<never, SettingInvalid | SecretsKeyInvalid | SqlError> = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* config
    const keys = yield* parseSecretsKey(settings.secretsKey).pipe(
      Effect.mapError((invalid) => new SettingInvalid({ variable: "SECRETS_KEY", detail: invalid.detail })),
      Effect.provide(layerCrypto)
    )
    if (settings.egressAllowLoopback) {
      yield* Effect.logWarning("EGRESS_ALLOW_LOOPBACK is on: webhooks and calls of agents may go to this machine's loopback")
    }
    const client = layerClient({
      url: settings.databaseUrl,
      maxConnections: settings.databasePoolMax,
      applicationName: "agent-platform-worker"
    })
    const technology = Layer.mergeAll(PgBossJobQueue.layer, PgBossJobSource.layer).pipe(
      Layer.provide(Boss.layer({ url: settings.databaseUrl })),
      Layer.provideMerge(layerPostgres),
      Layer.provideMerge(
        Layer.mergeAll(SecretBoxAes.layer(keys), EgressGuard.layer({ allowLoopback: settings.egressAllowLoopback }))
      ),
      Layer.provideMerge(layerCrypto)
    )
    const workers = Layer.mergeAll(
      Platform.layerWorkers({
        runs: { concurrencyMax: settings.runsMax, drainSeconds: settings.drainSeconds },
        deliveries: { inFlightMax: settings.deliveriesMax, headerPrefix: settings.webhookHeaderPrefix }
      }),
      PgBossSupervisor.layer({ url: settings.databaseUrl })
    )
    return workers.pipe(
      Layer.provide(technology),
      // Nothing starts before the schema is there.
      Layer.provide(Layer.effectDiscard(awaitSchema)),
      Layer.provide(client)
    )
  })
)
