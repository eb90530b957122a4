import { CANCEL_GRACE_SECONDS } from "../use-cases/recoverRuns.ts"

/** How the worker works; the defaults suit two cores. */
export interface RunWorkerOptions {
  /** Runs executed at once. From ten on, one organization alone gets nine in ten of them, and one workspace eight. */
  readonly concurrencyMax: number
  /** Runs claimed in one transaction. */
  readonly batchMax: number
  /** A claim lapses this long after its last renewal; then the run counts as lost, and `Run.lost` decides by its attempts. */
  readonly leaseSeconds: number
  /** How often claims are renewed: some renewals may fail before `leaseSeconds` are over. */
  readonly renewSeconds: number
  /** How often lapsed claims are looked for. Together with the lease: a dead worker is noticed within 12 seconds. */
  readonly recoverSeconds: number
  /** How often work is looked for when no signal comes, and how late a run with a `runAt` may begin. */
  readonly pollSeconds: number
  /** How long runs may go on while the worker stops; those that have not ended then are handed back. */
  readonly drainSeconds: number
  /** How long a run may go on after its cancellation was asked for. */
  readonly graceSeconds: number
  /** Most bytes of JSON of the data of a run's log events, over all of its attempts; a run that logs more fails. */
  readonly logBytesMax: number
}

export const RUN_WORKER_DEFAULTS: RunWorkerOptions = {
  concurrencyMax: 100,
  batchMax: 50,
  leaseSeconds: 10,
  renewSeconds: 3,
  recoverSeconds: 2,
  pollSeconds: 1,
  drainSeconds: 15,
  graceSeconds: CANCEL_GRACE_SECONDS,
  logBytesMax: 16 * 1024 * 1024
}
