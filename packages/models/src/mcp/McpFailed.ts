import { Data } from "effect"

/** A server of tools did not do what it was asked. */
export class McpFailed extends Data.TaggedError("McpFailed")<{
  /** A sentence for the agent's owner and the model. It may be the server's own: long, and with the secrets that it was sent. */
  readonly detail: string
  /** Whether the server does not know the session any more. */
  readonly isForgotten?: boolean
}> {}
