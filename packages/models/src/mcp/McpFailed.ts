import { Data } from "effect"

/** A server of tools did not do what it was asked. */
export class McpFailed extends Data.TaggedError("McpFailed")<{
  /** A sentence for whoever owns the agent, and for the model. It may be the server's own: long, and with what it was shown. */
  readonly detail: string
  /** Whether the server does not know the session any more. */
  readonly isForgotten?: boolean
}> {}
