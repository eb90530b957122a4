/** The kernel's job queue over pg-boss, in the same database and transactions as everything else. */
export { Boss } from "./Boss.ts"
export { inspectQueue, type QueueFacts, type WaitingJobs } from "./inspectQueue.ts"
export { QUEUE_MEASURES, readJobAges } from "./jobAges.ts"
export * as PgBossJobQueue from "./PgBossJobQueue.ts"
export * as PgBossJobSource from "./PgBossJobSource.ts"
export * as PgBossScheduler from "./PgBossScheduler.ts"
export * as PgBossSupervisor from "./PgBossSupervisor.ts"
export { InstallFailed, install, type PgBossConnection } from "./queues.ts"
