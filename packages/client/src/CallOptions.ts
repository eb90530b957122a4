/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, its repetitions included. */
  readonly signal?: AbortSignal | undefined
  /** Headers beside those that the client sends. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A creation that is repeated under the same key is done once only. The client makes a key unless one is given. */
  readonly idempotencyKey?: string | undefined
}
