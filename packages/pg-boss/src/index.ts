/** The kernel's job queue over pg-boss, in the same database and transactions as the stores. */
export { Boss, type BossDuties } from "./Boss.ts"
export { type PgBossConnection, queueSchema, SCHEMA as QUEUE_SCHEMA } from "./connection.ts"
export { inspectQueue, type QueueFacts, QueueUnreadable, type WaitingJob } from "./inspectQueue.ts"
export { InstallFailed, install } from "./install.ts"
export * as PgBossJobQueue from "./PgBossJobQueue.ts"
export * as PgBossJobSource from "./PgBossJobSource.ts"
export * as PgBossScheduler from "./PgBossScheduler.ts"
export { QUEUE_MEASURES, queueReading } from "./queueCounts.ts"
