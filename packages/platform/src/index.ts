/** The assembly shared by the apps and by embedders. */
export { layerAnalytics, layerRollUpBridges } from "./analyticsBridges.ts"
export {
  layerBilling,
  layerSpendGate,
  layerSpendGuard,
  layerWorkspaceSpend
} from "./bridges.ts"
export type { AskErasure } from "./erasure/askErasure.ts"
export { CLOSING_SECONDS, ClosingSeconds, continueErasure } from "./erasure/continueErasure.ts"
export { COUNTED_MAX, countErasure, type ErasureTotals } from "./erasure/countErasure.ts"
export { Erasures } from "./erasure/Erasures.ts"
export { ERASURE_WORKER_DEFAULTS, type ErasureWorkerOptions, startErasureWorker } from "./erasure/ErasureWorker.ts"
export { type ErasureSubject, NothingToErase } from "./erasure/erasers.ts"
export { eraseSubject } from "./erasure/jobs.ts"
export { faultOf } from "./faultOf.ts"
export { JOB_MEASURES, jobReading } from "./jobMeasures.ts"
export {
  CLOCK,
  FeedRetention,
  JOB_KINDS,
  RunHistoryDays,
  SCHEDULED_JOBS,
  WebhookHistoryDays
} from "./jobs.ts"
export * as Platform from "./Platform.ts"
export { rehearseJob } from "./rehearseJob.ts"
export { countSealed, RESEAL_PAGE, seenOf } from "./resealAll.ts"
export { type ResealedStore, resealSecrets, SEALED_STORES } from "./resealSecrets.ts"
export { runJob } from "./runJob.ts"
export { JobUnderWay, reportProgress, type ScheduledJob, scheduledKind } from "./ScheduledJob.ts"
export * as Scheduler from "./Scheduler.ts"
export type {
  ContentChange,
  CreateTemplate,
  TemplateOf,
  UpdateTemplate,
  WrittenTemplate
} from "./templates/changeTemplates.ts"
export { continueSpread, WORKSPACES_OF_A_TURN } from "./templates/continueSpread.ts"
export { spreadTemplate } from "./templates/jobs.ts"
export { layerWorkspaceSetup } from "./templates/layerWorkspaceSetup.ts"
export { type SpreadWorkerOptions, startSpreadWorker } from "./templates/SpreadWorker.ts"
export { sealedTemplates } from "./templates/sealedTemplates.ts"
export { Templates } from "./templates/Templates.ts"
export { WORKER_JOBS } from "./workerJobs.ts"
