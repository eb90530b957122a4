/** The assembly shared by the apps and by embedders. */
export { JOB_KINDS, SCHEDULED_JOBS, type ScheduledJob } from "./jobs.ts"
export * as Platform from "./Platform.ts"
export * as Scheduler from "./Scheduler.ts"
