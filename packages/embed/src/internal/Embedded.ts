import type { HostClient } from "../clients/index.ts"

/** The methods that every entry point has: to make its tables, and to close it. */
export interface Embedded extends AsyncDisposable {
  /** Makes our tables or brings them up to date, and returns the steps run; none in memory. Any number may do so at once. */
  readonly migrate: () => Promise<ReadonlyArray<string>>
  /** Closes our connections; a pool of the host stays open. */
  readonly close: () => Promise<void>
}

/** With `client` a call is part of the host's transaction that the client is in, and undone with it. */
export interface InTransaction {
  readonly client?: HostClient | undefined
}
