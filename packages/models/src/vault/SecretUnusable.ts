import { Data } from "effect"

/** A request needs a secret of the workspace that cannot be had: it was not sent. */
export class SecretUnusable extends Data.TaggedError("SecretUnusable")<{
  /** A sentence for the agent's owner and the model, without secrets. */
  readonly detail: string
}> {}
