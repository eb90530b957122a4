/** Every store of Agent Platform over one Postgres (14 or later). */
export { awaitSchema } from "./awaitSchema.ts"
export {
  type DatabaseFacts,
  inspectDatabase,
  inspectWork,
  POSTGRES_VERSION_MIN,
  type WorkFacts
} from "./inspect.ts"
export * as PgApiKeyStore from "./keys/PgApiKeyStore.ts"
export * as PgLoginStore from "./keys/PgLoginStore.ts"
export * as PgMemberStore from "./keys/PgMemberStore.ts"
export * as PgProviderKeyStore from "./keys/PgProviderKeyStore.ts"
export * as PgRateLimits from "./keys/PgRateLimits.ts"
export * as PgTenancyStore from "./keys/PgTenancyStore.ts"
export { DatabaseAhead, type MigrationFailed, migrate, type SchemaState, schemaState } from "./Migrations.ts"
export * as PgEventLog from "./PgEventLog.ts"
export * as PgFeedLog from "./PgFeedLog.ts"
export * as PgIdempotency from "./PgIdempotency.ts"
export * as PgJobHistory from "./PgJobHistory.ts"
export * as PgSignals from "./PgSignals.ts"
export * as PgUnitOfWork from "./PgUnitOfWork.ts"
export { layer, layerClient, type PostgresOptions, type PostgresPorts } from "./Postgres.ts"
export * as PgAgentStore from "./runs/PgAgentStore.ts"
export * as PgInboundWebhookStore from "./runs/PgInboundWebhookStore.ts"
export * as PgRecordKeyStore from "./runs/PgRecordKeyStore.ts"
export * as PgRunHistory from "./runs/PgRunHistory.ts"
export * as PgRunLog from "./runs/PgRunLog.ts"
export * as PgRunStore from "./runs/PgRunStore.ts"
export * as PgSessionStore from "./runs/PgSessionStore.ts"
export * as PgDeliveryHistory from "./webhooks/PgDeliveryHistory.ts"
export * as PgDeliveryStore from "./webhooks/PgDeliveryStore.ts"
export * as PgEndpointStore from "./webhooks/PgEndpointStore.ts"
export * as PgEventFeed from "./webhooks/PgEventFeed.ts"
export * as PgReplayStore from "./webhooks/PgReplayStore.ts"
