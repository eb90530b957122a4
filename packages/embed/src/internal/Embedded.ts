import type { HostClient } from "../clients/index.ts"

/** The life of an entry point in a host. */
export interface Embedded extends AsyncDisposable {
  /** Makes our tables, or brings them up to date, and answers the steps run; nothing in memory. Any number may do so at once. */
  readonly migrate: () => Promise<ReadonlyArray<string>>
  /** Closes our connections; a pool of the host stays open. */
  readonly close: () => Promise<void>
}

/** With `client` a call is part of the host's transaction that the client is in, and undone with it. */
export interface InTransaction {
  readonly client?: HostClient | undefined
}
