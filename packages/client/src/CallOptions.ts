/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, its repetitions included. */
  readonly signal?: AbortSignal | undefined
  /** Headers beside those that the client sends. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Under which a creation is done once only; one is made up where none is given. */
  readonly idempotencyKey?: string | undefined
}
