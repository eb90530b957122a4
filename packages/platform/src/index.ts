/** The assembly shared by the apps and by embedders. */
export { layerAnalytics, layerRollUpBridges } from "./analyticsBridges.ts"
export {
  layerBilling,
  layerSpendGate,
  layerSpendGuard,
  layerWorkspaceSpend
} from "./bridges.ts"
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
export { WORKER_JOBS } from "./workerJobs.ts"
