/** The assembly shared by the apps and by embedders. */
export { JOB_KINDS, SCHEDULED_JOBS, type ScheduledJob, type ScheduledPorts, WebhookHistoryDays } from "./jobs.ts"
export * as Platform from "./Platform.ts"
export * as Scheduler from "./Scheduler.ts"
