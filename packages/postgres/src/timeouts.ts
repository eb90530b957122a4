/** Timeouts of a Postgres session in seconds; 0 is none. */
export interface Timeouts {
  /** One statement. */
  readonly statement: number
  /** Waiting for one lock. */
  readonly lock: number
  /** A transaction that is open while nothing is asked in it. */
  readonly idleInTransaction: number
}

/** The timeouts by the purpose of a session, as docs/operations.md lists them. */
export const TIMEOUTS = {
  /** Requests, which callers wait for. */
  requests: { statement: 30, lock: 10, idleInTransaction: 10 },
  /** Readings of a replica: a longer one holds up the replay, and is made over the primary instead. */
  replica: { statement: 5, lock: 2, idleInTransaction: 10 },
  /** Runs and deliveries, in batches, under leases that end after 10 s. */
  work: { statement: 60, lock: 2, idleInTransaction: 10 },
  /** Jobs by the clock and commands of operators, which read whole tables. */
  jobs: { statement: 3_600, lock: 30, idleInTransaction: 60 },
  /** Migrations: building an index may take any time. They wait for each other without end; each step limits its waiting for tables. */
  migrations: { statement: 0, lock: 0, idleInTransaction: 60 }
} as const satisfies Record<string, Timeouts>
