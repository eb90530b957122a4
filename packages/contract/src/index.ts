/**
 * The HTTP contract: paths, bodies, problems and a typed client. It holds no server code.
 *
 * ```ts
 * import { Client } from "@agent-platform/contract"
 * import { Effect, Redacted } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const status = Effect.gen(function*() {
 *   const client = yield* Client
 *   const run = yield* client.runs.getRun({ params: { run_id: "…" }, query: { wait_seconds: 10 } })
 *   return run.status
 * }).pipe(
 *   Effect.catchTag("NotFound", () => Effect.succeed("unknown")),
 *   Effect.provide(Client.layer({ baseUrl: "http://127.0.0.1:8080", apiKey: Redacted.make("apk_ws_…") })),
 *   Effect.provide(FetchHttpClient.layer)
 * )
 * ```
 */
export { MESSAGE_DONE, type MessageCall, type MessageChunk, type MessageRun } from "@agent-platform/client"
export { Client, type ClientOptions } from "./client.ts"
export { Api } from "./v1/Api.ts"
export { AttemptAuthentication, CurrentAttempt } from "./v1/AttemptAuthentication.ts"
export {
  Authentication,
  type Caller,
  type CallerKey,
  type CallerSession,
  CurrentCaller,
  SESSION_COOKIE
} from "./v1/Authentication.ts"
export * as auth from "./v1/AuthGroup.ts"
export { Access, BodyLimit, bodyLimitOf, type EndpointAccess, Formats, type Reach } from "./v1/access.ts"
export * as agents from "./v1/agentSchemas.ts"
export * as readings from "./v1/analyticsSchemas.ts"
export * as apiKeys from "./v1/apiKeySchemas.ts"
export * as attempts from "./v1/attemptSchemas.ts"
export { type Bounds, boundsOf, type Oversize, oversizeIn, UNKNOWN_MEMBERS_MAX } from "./v1/bounds.ts"
export * as browserKeys from "./v1/browserKeySchemas.ts"
export * as erasures from "./v1/ErasuresGroup.ts"
export {
  BadRequest,
  Conflict,
  ContentTooLarge,
  Forbidden,
  HeadersTooLarge,
  InternalError,
  isProblem,
  MethodNotAllowed,
  NotAcceptable,
  NotFound,
  PaymentRequired,
  type Problem,
  ProblemIssue,
  RequestTimeout,
  TooManyRequests,
  Unauthorized,
  Unavailable,
  UnprocessableContent,
  UnsupportedMediaType
} from "./v1/errors.ts"
export * as feeds from "./v1/feedSchemas.ts"
export * as gateway from "./v1/gatewaySchemas.ts"
export * as hooks from "./v1/inboundWebhooks.ts"
export { RETURN_TO_LENGTH_MAX } from "./v1/LoginGroup.ts"
export * as members from "./v1/MembersGroup.ts"
export { JsonBody, Problems, Strict } from "./v1/middleware.ts"
export * as models from "./v1/modelViews.ts"
export { isProblemCode, PROBLEMS, type ProblemCode, problemKind } from "./v1/problemCodes.ts"
export * as providerKeys from "./v1/providerKeySchemas.ts"
export * as records from "./v1/runRecord.ts"
export * as runs from "./v1/runSchemas.ts"
export * as schedules from "./v1/scheduleSchemas.ts"
export * as sessions from "./v1/sessionSchemas.ts"
export * as templates from "./v1/templateSchemas.ts"
export * as toolSecrets from "./v1/toolSecretSchemas.ts"
export * as workspaces from "./v1/WorkspacesGroup.ts"
export * as webhooks from "./v1/webhookSchemas.ts"
export { unnamedEvents, WebhookEvent, WebhookEventType, webhookEventOf, webhookEvents } from "./webhookEvents.ts"
