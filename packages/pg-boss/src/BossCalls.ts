/**
 * The calls of pg-boss that are made here, in types of our own: its published declarations refer to a type that they do not include,
 * so that a strict host does not compile with them.
 */

/** A job as it is fetched. */
export interface FetchedJob {
  readonly id: string
  readonly data: object
  readonly retryCount: number
  /** Aborted when its time is over, or its worker stops. */
  readonly signal: AbortSignal
}

/** Statements on a connection that is not pg-boss's own. */
export interface BossDatabase {
  readonly executeSql: (text: string, values?: Array<unknown>) => Promise<{ rows: Array<unknown> }>
}

interface NewJob {
  readonly db?: BossDatabase
  readonly priority?: number
  readonly startAfter?: number | Date
  readonly singletonKey?: string
}

interface QueueCounts {
  readonly name: string
  readonly readyCount: number
  readonly deferredCount: number
  readonly activeCount: number
}

/** An instance of pg-boss that has started. */
export interface BossCalls {
  readonly send: (queue: string, data: object, options: NewJob) => Promise<string | null>
  readonly upsert: (
    queue: string,
    data: object,
    options: NewJob & { readonly singletonKey: string }
  ) => Promise<{ readonly inserted: number; readonly updated: number }>
  readonly fetch: (queue: string, options: { readonly ignoreStartAfter: boolean }) => Promise<ReadonlyArray<FetchedJob>>
  readonly touch: (queue: string, job: FetchedJob) => Promise<unknown>
  readonly complete: (queue: string, job: FetchedJob) => Promise<unknown>
  readonly fail: (queue: string, job: FetchedJob, data: object) => Promise<unknown>
  readonly work: (
    queue: string,
    options: { readonly localConcurrency: number; readonly pollingIntervalSeconds: number },
    handler: (jobs: ReadonlyArray<FetchedJob>) => Promise<void>
  ) => Promise<string>
  readonly offWork: (queue: string, options: { readonly id: string; readonly wait: boolean }) => Promise<void>
  readonly notifyWorker: (id: string) => void
  readonly getQueues: () => Promise<ReadonlyArray<QueueCounts>>
  readonly schedule: (
    queue: string,
    cron: string,
    data: object,
    options: { readonly tz: string; readonly missed: "once"; readonly singletonKey?: string }
  ) => Promise<void>
  readonly getSchedules: () => Promise<ReadonlyArray<{ readonly name: string }>>
  readonly unschedule: (queue: string) => Promise<void>
}
