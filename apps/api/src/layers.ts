import { createHmac } from "node:crypto"
import { Quotas } from "@agent-platform/kernel"
import { PlatformKeys } from "@agent-platform/keys"
import { chatDescription, EgressProviderProbe, Gateway, GenaiPriceBook } from "@agent-platform/models"
import { OAuthIdentityProvider } from "@agent-platform/oauth"
import { Boss, PgBossJobQueue } from "@agent-platform/pg-boss"
import { layerSpendGuard, Platform } from "@agent-platform/platform"
import {
  type DatabaseState,
  databaseState,
  layerClient,
  layer as layerPostgres,
  layerReplica,
  readDatabaseUp,
  requireSessions,
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
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { ApiSettings } from "./ApiSettings.ts"
import { config } from "./config.ts"
import { layerApi } from "./layerApi.ts"
import { makeNodeServer } from "./nodeServer.ts"
import { type Readiness, ReadinessProbe } from "./Readiness.ts"
import { StartLink, withListener } from "./start-link/StartLink.ts"

/** How long requests in flight may take to end once the process is asked to stop. */
const GRACE = "10 seconds"

/** How long the database may take to respond to a probe. */
const PROBE = "3 seconds"

const READINESS: Record<DatabaseState, Readiness> = {
  current: "ready",
  pending: "migrations_pending",
  // Two successive releases can run at the same time, so the schema of the later one also fits the earlier one.
  ahead: "ready",
  read_only: "database_read_only",
  unreachable: "database_unreachable"
}

const NO_WRITES = "The database takes no writes: it is a standby, or default_transaction_read_only is on"

/**
 * Probes the database, and fails at once over a pooler that does not keep sessions. If the database starts later than this
 * process, the first probe that reaches it finds the pooler.
 */
const layerReadiness = (url: Redacted.Redacted) =>
  Layer.effect(
    ReadinessProbe,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const state = Effect.provideService(databaseState, SqlClient.SqlClient, sql)
      let sessionsAreKept = false
      // Checked before anything else, since other queries over such a pooler fail as if the database were away.
      const demandSessions = Effect.suspend(() =>
        sessionsAreKept
          ? Effect.void
          : Effect.map(requireSessions(url), () => {
              sessionsAreKept = true
            })
      ).pipe(Effect.catchTag("SqlError", () => Effect.void))
      yield* Effect.timeoutOption(demandSessions, PROBE).pipe(
        Effect.mapError(({ detail }) => new SettingInvalid({ variable: shared.databaseUrl.variable, detail }))
      )
      if (sessionsAreKept && (yield* state) === "read_only") yield* Effect.logWarning(NO_WRITES)
      const check = Effect.andThen(demandSessions, state).pipe(
        Effect.map((found) => READINESS[found]),
        Effect.catchTag("DatabasePooled", () => Effect.succeed<Readiness>("database_pooled")),
        Effect.timeoutOrElse({ duration: PROBE, orElse: () => Effect.succeed<Readiness>("database_unreachable") })
      )
      return { check }
    })
  )

/** Derives the key of cursors from the deployment's key, so that operators keep one secret and all processes have the same key. */
const cursorKeyOf = (secretsKey: Redacted.Redacted): Redacted.Redacted =>
  Redacted.make(createHmac("sha256", Redacted.value(secretsKey)).update("agent-platform/cursors/v1").digest("base64"))

const notListening = (cause: unknown, host: string, port: number): SettingInvalid => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
  const variable = code === "EADDRNOTAVAIL" || code === "ENOTFOUND" ? "HOST" : "PORT"
  const why = code === "EADDRINUSE" ? "another process listens there" : code
  return new SettingInvalid({ variable, detail: `cannot be used: ${host}:${port} cannot be listened on, ${why}` })
}

/** The API over Postgres, listening. */
export const layer: Layer.Layer<never, SettingInvalid | SecretsKeyInvalid | SqlError> = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* config
    const recipes = yield* loadRecipes(settings.recipes, Platform.OWN_RECIPES)
    const keys = yield* parseSecretsKey(settings.secretsKey).pipe(
      Effect.mapError((invalid) => new SettingInvalid({ variable: "SECRETS_KEY", detail: invalid.detail })),
      Effect.provide(layerCrypto)
    )
    const { baseUrl, host, port } = settings
    const applicationName = "agent-platform-api"
    const stores =
      settings.databaseReplicaUrl === null
        ? layerPostgres
        : layerReplica({ url: settings.databaseReplicaUrl, applicationName }).pipe(Layer.provideMerge(layerPostgres))
    const technology = PgBossJobQueue.layer.pipe(
      Layer.provide(Boss.layer({ url: settings.databaseUrl })),
      Layer.provideMerge(stores),
      Layer.provideMerge(
        Layer.mergeAll(
          SecretBoxAes.layer(keys),
          Layer.provideMerge(EgressProviderProbe.layer(settings.providerUrls), layerEgress),
          OAuthIdentityProvider.layer(settings.oauth),
          PlatformKeys.layer(settings.platformKeys),
          GenaiPriceBook.layer
        )
      ),
      Layer.provideMerge(layerCrypto)
    )
    const server = NodeHttpServer.layer(makeNodeServer(baseUrl), { port, host, gracefulShutdownTimeout: GRACE })
    return Layer.merge(layerApi, layerMetrics({ readings: [{ name: "database", read: readDatabaseUp }] })).pipe(
      Layer.provide(server),
      Layer.provide(
        Layer.mergeAll(
          Gateway.layer({ urls: settings.providerUrls }).pipe(
            Layer.provide(layerSpendGuard),
            Layer.provideMerge(Platform.layer({ recipes: [chatDescription, ...recipes], demo: settings.demoAgent })),
            Layer.provide(technology),
            Layer.provide(Layer.succeed(Quotas, settings.quotas))
          ),
          layerReadiness(settings.databaseUrl),
          Layer.succeed(StartLink, settings.startLink && withListener(settings.startLink, settings.secretsKey)),
          Layer.succeed(ApiSettings, {
            baseUrl,
            dashboardUrl: settings.dashboardUrl,
            corsOrigins: settings.corsOrigins,
            trustedProxies: settings.trustedProxies,
            workspaceRateLimit: settings.workspaceRateLimit,
            streams: settings.streams,
            drainSeconds: settings.drainSeconds,
            cursorKey: cursorKeyOf(settings.secretsKey)
          })
        )
      ),
      Layer.provide(
        layerClient({
          url: settings.databaseUrl,
          maxConnections: settings.databasePoolMax,
          applicationName,
          timeouts: TIMEOUTS.requests
        })
      ),
      Layer.catchTag("ServeError", ({ cause }) => Layer.effectDiscard(Effect.fail(notListening(cause, host, port))))
    )
  })
)
