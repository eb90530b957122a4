/** Every store of Agent Platform over one Postgres (14 or later). */

export { askDatabase } from "./askDatabase.ts"
export { awaitSchema } from "./awaitSchema.ts"
export * as PgCallLedger from "./billing/PgCallLedger.ts"
export * as PgLedgerEraser from "./billing/PgLedgerEraser.ts"
export * as PgPriceOverrideStore from "./billing/PgPriceOverrideStore.ts"
export * as PgRollUpStore from "./billing/PgRollUpStore.ts"
export * as PgSpendCaps from "./billing/PgSpendCaps.ts"
export * as PgUsageCorrections from "./billing/PgUsageCorrections.ts"
export * as PgUsageFeed from "./billing/PgUsageFeed.ts"
export * as PgUsageReadings from "./billing/PgUsageReadings.ts"
export { type MarksRenewal, renewMarks } from "./billing/renewMarks.ts"
export { type DatabaseState, databaseState } from "./databaseState.ts"
export { readDatabaseUp, UP_MEASURES } from "./databaseUp.ts"
export * as PgActivityFeed from "./feeds/PgActivityFeed.ts"
export * as PgActivityHistory from "./feeds/PgActivityHistory.ts"
export * as PgFeedEraser from "./feeds/PgFeedEraser.ts"
export * as PgNotificationFeed from "./feeds/PgNotificationFeed.ts"
export { grantAccess, migrateFor, RoleMissing, separateRole } from "./grantAccess.ts"
export { asGuest } from "./host/Guest.ts"
export { type HostPool, layerHostPool } from "./host/HostPool.ts"
export {
  type DatabaseFacts,
  inspectDatabase,
  inspectWork,
  POSTGRES_VERSION_MIN,
  type WorkFacts
} from "./inspect.ts"
export { DatabaseBehind, installDomains, requireInstalled, SchemaTaken } from "./installDomains.ts"
export * as PgApiKeyStore from "./keys/PgApiKeyStore.ts"
export * as PgKeyEraser from "./keys/PgKeyEraser.ts"
export * as PgKeyTenants from "./keys/PgKeyTenants.ts"
export * as PgLoginStore from "./keys/PgLoginStore.ts"
export * as PgMemberStore from "./keys/PgMemberStore.ts"
export * as PgProviderKeyStore from "./keys/PgProviderKeyStore.ts"
export * as PgRateLimits from "./keys/PgRateLimits.ts"
export * as PgTenancyStore from "./keys/PgTenancyStore.ts"
export * as PgToolSecretStore from "./keys/PgToolSecretStore.ts"
export {
  DatabaseAhead,
  DatabaseTooOld,
  inTurn,
  type MigrationFailed,
  migrate,
  migrateDomains,
  type SchemaState,
  schemaState
} from "./Migrations.ts"
export {
  EVENT_ID_HOURS_MAX,
  EVENT_ID_MINUTES_AHEAD_MAX,
  EVENT_TYPE_PATTERN,
  TENANT_BYTES_MAX,
  TENANT_NAMESPACE
} from "./migrations/publishing.ts"
export { MigrationWaitSeconds } from "./migrations/runStep.ts"
export {
  type DeliveryCircumstances,
  type DeliveryPlace,
  findOperatorDelivery,
  listOperatorDeliveries,
  type OperatorDelivery
} from "./operator/operatorDeliveries.ts"
export { findOperatorRun, listOperatorRuns, type OperatorRun, type RunCircumstances } from "./operator/operatorRuns.ts"
export { AHEAD_MAX } from "./operator/views.ts"
export * as PgOutbox from "./outbox/PgOutbox.ts"
export * as PgErasureStore from "./PgErasureStore.ts"
export * as PgEventLog from "./PgEventLog.ts"
export * as PgFeedLog from "./PgFeedLog.ts"
export * as PgFingerprintKeyStore from "./PgFingerprintKeyStore.ts"
export * as PgIdempotency from "./PgIdempotency.ts"
export * as PgJobHistory from "./PgJobHistory.ts"
export * as PgRecordEraser from "./PgRecordEraser.ts"
export * as PgSignals from "./PgSignals.ts"
export * as PgTemplateStore from "./PgTemplateStore.ts"
export * as PgUnitOfWork from "./PgUnitOfWork.ts"
export { layer, layerClient, type PostgresPorts } from "./Postgres.ts"
export { DatabasePooled, requireSessions } from "./pooling.ts"
export { type PreviewedLock, previewMigrations } from "./previewMigrations.ts"
export { AGE_MEASURES } from "./queueAges.ts"
export { DEPTH_MEASURES, readQueueDepths } from "./queueDepths.ts"
export { DATABASE_READINGS } from "./readings.ts"
export { inspectReplica, type ReplicaState } from "./replica/inspectReplica.ts"
export { REPLICA_LAG_SECONDS_MAX } from "./replica/Replica.ts"
export { REPLICA_MEASURES } from "./replica/replicaMeasures.ts"
export { layerReplica } from "./replica/replicaPorts.ts"
export * as PgAgentStore from "./runs/PgAgentStore.ts"
export * as PgCheckpointStore from "./runs/PgCheckpointStore.ts"
export * as PgInboundWebhookStore from "./runs/PgInboundWebhookStore.ts"
export * as PgRecordKeyStore from "./runs/PgRecordKeyStore.ts"
export * as PgRunAcceptance from "./runs/PgRunAcceptance.ts"
export * as PgRunContentStore from "./runs/PgRunContentStore.ts"
export * as PgRunEraser from "./runs/PgRunEraser.ts"
export * as PgRunFeed from "./runs/PgRunFeed.ts"
export * as PgRunHistory from "./runs/PgRunHistory.ts"
export * as PgRunLog from "./runs/PgRunLog.ts"
export * as PgRunOutcomes from "./runs/PgRunOutcomes.ts"
export * as PgRunQueue from "./runs/PgRunQueue.ts"
export * as PgRunReader from "./runs/PgRunReader.ts"
export * as PgRunSettlement from "./runs/PgRunSettlement.ts"
export * as PgScheduleStore from "./runs/PgScheduleStore.ts"
export * as PgSessionRuns from "./runs/PgSessionRuns.ts"
export * as PgSessionStore from "./runs/PgSessionStore.ts"
export { cancellable } from "./support/cancellable.ts"
export { supportFacts } from "./support/supportFacts.ts"
export { TIMEOUTS, type Timeouts } from "./timeouts.ts"
export { layerWebhooks } from "./webhooks/layerWebhooks.ts"
export * as PgDeliveryEraser from "./webhooks/PgDeliveryEraser.ts"
export * as PgDeliveryHistory from "./webhooks/PgDeliveryHistory.ts"
export * as PgDeliveryLifecycle from "./webhooks/PgDeliveryLifecycle.ts"
export * as PgDeliveryQueue from "./webhooks/PgDeliveryQueue.ts"
export * as PgDeliveryRecords from "./webhooks/PgDeliveryRecords.ts"
export * as PgDeliveryReplays from "./webhooks/PgDeliveryReplays.ts"
export * as PgDeliverySettlement from "./webhooks/PgDeliverySettlement.ts"
export * as PgEndpointHealthStore from "./webhooks/PgEndpointHealthStore.ts"
export * as PgEndpointStore from "./webhooks/PgEndpointStore.ts"
export * as PgEventDispatch from "./webhooks/PgEventDispatch.ts"
export * as PgEventFeed from "./webhooks/PgEventFeed.ts"
export * as PgPublishing from "./webhooks/PgPublishing.ts"
export * as PgReplayStore from "./webhooks/PgReplayStore.ts"
