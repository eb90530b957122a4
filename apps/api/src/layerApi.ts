/** The whole API over the domain services and a given HTTP server. */
import { Analytics } from "@agent-platform/billing"
import { Api } from "@agent-platform/contract"
import { Feeds } from "@agent-platform/feeds"
import { Fingerprints } from "@agent-platform/kernel"
import { Keys, Logins, ProviderKeys, Tenancy, ToolSecrets } from "@agent-platform/keys"
import { Gateway } from "@agent-platform/models"
import { Erasures, Templates } from "@agent-platform/platform"
import { Runs, Schedules } from "@agent-platform/runs"
import { Webhooks } from "@agent-platform/webhooks"
import { Context, Effect, FileSystem, flow, Layer, Path, type Scope, Stdio, Terminal } from "effect"
import { Etag, HttpMiddleware, HttpPlatform, HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ChildProcessSpawner } from "effect/process"
import { ApiSettings } from "./ApiSettings.ts"
import { layerAttemptAuthentication } from "./attemptAuthentication.ts"
import { layerAuthentication } from "./authentication.ts"
import { CredentialWatch } from "./CredentialWatch.ts"
import { Draining } from "./Draining.ts"
import { makeEdge } from "./edge/edge.ts"
import { layerJsonBody } from "./edge/layerJsonBody.ts"
import { layerProblems } from "./edge/layerProblems.ts"
import { layerStrict } from "./edge/layerStrict.ts"
import { layerActivity } from "./handlers/activity.ts"
import { layerAgents } from "./handlers/agents.ts"
import { layerAnalytics } from "./handlers/analytics.ts"
import { layerAttempts } from "./handlers/attempts.ts"
import { layerAuth } from "./handlers/auth.ts"
import { layerByok } from "./handlers/byok.ts"
import { layerErasures } from "./handlers/erasures.ts"
import { layerGateway } from "./handlers/gateway.ts"
import { layerHooks } from "./handlers/hooks.ts"
import { layerLogin } from "./handlers/login.ts"
import { layerLoginSessions } from "./handlers/loginSessions.ts"
import { layerMembers } from "./handlers/members.ts"
import { layerNotifications } from "./handlers/notifications.ts"
import { layerOrgAgentTemplates } from "./handlers/orgAgentTemplates.ts"
import { layerOrgKeys } from "./handlers/orgKeys.ts"
import { layerOrgProviderKeys } from "./handlers/orgProviderKeys.ts"
import { layerOrgToolSecrets } from "./handlers/orgToolSecrets.ts"
import { layerRuns } from "./handlers/runs.ts"
import { layerSchedules } from "./handlers/schedules.ts"
import { layerSessions } from "./handlers/sessions.ts"
import { layerToolSecrets } from "./handlers/toolSecrets.ts"
import { layerWebhooks } from "./handlers/webhooks.ts"
import { layerWorkspaces } from "./handlers/workspaces.ts"
import { LongAnswers } from "./LongAnswers.ts"
import { HEADER_BYTES_MAX } from "./nodeServer.ts"
import { ReadinessProbe } from "./Readiness.ts"
import { Dashboard } from "./routes/Dashboard.ts"
import { layerDocs } from "./routes/layerDocs.ts"
import { layerKeys } from "./routes/layerKeys.ts"
import { layerSystem, SYSTEM_PATHS } from "./routes/layerSystem.ts"
import { layerStartLink, startLinkPaths } from "./start-link/layerStartLink.ts"

const layerHandlers = Layer.mergeAll(
  layerAuth,
  layerLogin,
  layerLoginSessions,
  layerOrgKeys,
  layerWorkspaces,
  layerMembers,
  layerAgents,
  layerRuns,
  layerAttempts,
  layerGateway,
  layerAnalytics,
  layerHooks,
  layerSessions,
  layerByok,
  layerToolSecrets,
  layerOrgToolSecrets,
  layerOrgProviderKeys,
  layerOrgAgentTemplates,
  layerSchedules,
  layerWebhooks,
  layerNotifications,
  layerActivity,
  layerErasures
).pipe(Layer.provide([layerAuthentication, layerAttemptAuthentication, layerProblems, layerStrict, layerJsonBody]))

const layerRoutes = Layer.mergeAll(HttpApiBuilder.layer(Api), layerSystem, layerKeys, layerDocs, layerStartLink).pipe(
  Layer.provide(layerHandlers)
)

/** Removes the services that handlers took from the context when they were built, so that no request carries them along. */
const withoutServices: (context: Context.Context<Scope.Scope>) => Context.Context<Scope.Scope> = Context.omit(
  Keys,
  Logins,
  ProviderKeys,
  ToolSecrets,
  Schedules,
  Tenancy,
  Runs,
  Gateway,
  Analytics,
  Webhooks,
  Feeds,
  Erasures,
  Templates,
  Fingerprints,
  ApiSettings,
  ReadinessProbe,
  Draining,
  Dashboard,
  CredentialWatch,
  LongAnswers,
  HttpServer.HttpServer,
  HttpPlatform.HttpPlatform,
  Etag.Generator,
  FileSystem.FileSystem,
  Path.Path,
  Stdio.Stdio,
  Terminal.Terminal,
  ChildProcessSpawner.ChildProcessSpawner,
  Layer.CurrentMemoMap
)

/** Makes additions to the context cheap. Each request adds a dozen services, and by default the context is copied after eight. */
const withSpareSlots = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(context.mapUnsafe, { maxDepth: 32 })

const layerServed = Layer.unwrap(
  Effect.gen(function* () {
    const routed = yield* HttpRouter.toHttpEffect(layerRoutes).pipe(
      Effect.provideService(HttpRouter.RouterConfig, {
        caseSensitive: true,
        ignoreDuplicateSlashes: false,
        ignoreTrailingSlash: true,
        // With this, an overlong id is routed and fails like an unknown one.
        maxParamLength: HEADER_BYTES_MAX
      })
    )
    const { gets, posts } = yield* startLinkPaths
    const edge = yield* makeEdge({ gets: [...SYSTEM_PATHS, ...gets], posts })
    const server = yield* HttpServer.HttpServer
    const served = server.serve(edge(routed)).pipe(
      // The edge records requests itself, since the server's own spans would hold whole addresses with their secrets.
      Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => true)
    )
    return Layer.effectDiscard(Effect.updateContext(served, flow(withoutServices, withSpareSlots)))
  })
)

/**
 * Announces the end when the scope closes, and begins to stop `drainSeconds` later. Both happen before the server stops, which was
 * built earlier.
 */
const layerDrain = Layer.effectDiscard(
  Effect.gen(function* () {
    const draining = yield* Draining
    const { drainSeconds } = yield* ApiSettings
    const elsewhere = Effect.sleep(`${drainSeconds} seconds`)
    yield* Effect.addFinalizer(() => Effect.andThen(Effect.andThen(draining.announce, elsewhere), draining.begin))
  })
)

/**
 * Serves the API until the scope closes, and for `drainSeconds` more. Then streams and waiting requests end, and requests in
 * flight are finished; those that still run after the server's grace are interrupted.
 */
export const layerApi = layerDrain.pipe(
  Layer.provide(layerServed),
  Layer.provide([Draining.layer, CredentialWatch.layer, LongAnswers.layer, Dashboard.layer])
)
