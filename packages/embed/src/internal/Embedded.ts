import type { HostClient } from "../clients/index.ts"

/** The methods that every entry point has: to make its tables, and to close it. */
export interface Embedded extends AsyncDisposable {
  /** Makes our tables or brings them up to date, and returns the steps run; none in memory. Any number may do so at once. */
  readonly migrate: () => Promise<ReadonlyArray<string>>
  /** Closes our connections; a pool of the host stays open. */
  readonly close: () => Promise<void>
}

/** Makes a call part of the host's transaction: the one that `client` is in. If that is rolled back, so is the call. */
export interface InTransaction {
  readonly client?: HostClient | undefined
}
