import type { RunErrorCode } from "@agent-platform/runs"
import { Data } from "effect"
import type { Unfit } from "./unfit.ts"

/** The turn cannot go on: how its run fails. */
export class ChatFailed extends Data.TaggedError("ChatFailed")<{
  readonly errorCode: RunErrorCode
  /** For the owner of the agent; without secrets. */
  readonly error: string
  /** Whether the provider refuses the request itself, so that it would refuse it again. */
  readonly isRefused?: boolean | undefined
}> {}

/** The provider refuses the messages: `failed` is the end of the turn unless there are others that it may take. */
export class MessagesRefused extends Data.TaggedError("MessagesRefused")<{
  readonly unfit: Unfit
  readonly failed: ChatFailed
}> {}

/** The turn cannot go on because of the agent: its settings, its tools or its model's answers. */
export const agentFailed = (error: string) => new ChatFailed({ errorCode: "agent_error", error })
