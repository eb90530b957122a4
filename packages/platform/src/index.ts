/** The assembly shared by the apps and by embedders. */
export { layerSpendGuard, layerWorkspaceSpend } from "./bridges.ts"
export {
  CLOCK,
  JOB_KINDS,
  SCHEDULED_JOBS,
  type ScheduledJob,
  type ScheduledPorts,
  WebhookHistoryDays,
  WORKER_JOBS
} from "./jobs.ts"
export * as Platform from "./Platform.ts"
export { type ResealedStore, resealSecrets, SEALED_STORES } from "./resealSecrets.ts"
export * as Scheduler from "./Scheduler.ts"
