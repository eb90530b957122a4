/** The chunks of a message of the AI SDK, into which the service translates a run's log. Only those of its protocol `v1` that it sends. */

/** The run behind a message, as its `metadata`. */
export interface MessageRun {
  readonly run_id: string
  readonly session_id: string
  /** Once the run has ended: `succeeded`, `paused`, `failed` or `cancelled`. */
  readonly status?: string
  readonly error_code?: string | null
  readonly error?: string | null
}

/** Facts about a tool call that have no place of their own in the protocol. */
export type MessageCall = {
  /** The reply that the run waits for before it goes on with the call: a decision, or its result. */
  readonly waits_for?: "approval" | "result"
  /** The run that waits, and the id that the reply to it gives for the call. */
  readonly run_id?: string
  readonly reply_id?: string
  /** The input is not known, or cut: the call began in an earlier run of the message, or is too large for the log. */
  readonly is_partial?: true
}

/** One chunk. */
export type MessageChunk =
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata: MessageRun }
  | { readonly type: "start-step" }
  | { readonly type: "finish-step" }
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "text-end"; readonly id: string; readonly providerMetadata?: BrokenOff }
  | { readonly type: "reasoning-start"; readonly id: string }
  | { readonly type: "reasoning-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "reasoning-end"; readonly id: string; readonly providerMetadata?: BrokenOff }
  | {
      readonly type: "tool-input-available"
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
      readonly dynamic: true
      readonly providerExecuted: boolean
      readonly toolMetadata: MessageCall
    }
  | {
      readonly type: "tool-output-available"
      readonly toolCallId: string
      readonly output: unknown
      readonly dynamic: true
    }
  | {
      readonly type: "tool-output-error"
      readonly toolCallId: string
      readonly errorText: string
      readonly dynamic: true
    }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | {
      readonly type: "tool-approval-request"
      readonly approvalId: string
      readonly toolCallId: string
      readonly reason?: string
    }
  | {
      readonly type: "data-question"
      readonly id: string
      readonly data: { readonly run_id: string; readonly message: string | null; readonly interrupt: unknown }
    }
  | { readonly type: "data-result"; readonly id: string; readonly data: { readonly result: unknown } }
  | { readonly type: "data-status"; readonly data: { readonly status: string }; readonly transient: true }
  | { readonly type: "data-log"; readonly data: { readonly message: string }; readonly transient: true }
  | { readonly type: "message-metadata"; readonly messageMetadata: MessageRun }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort" }
  | {
      readonly type: "finish"
      readonly finishReason: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other"
    }

/** Words of an answer that broke off: another answer repeats them, or the run ended without it. */
export type BrokenOff = {
  readonly "agent-platform": { readonly broken_off: true }
}

/** The data of the last frame of such a stream, which is no chunk. */
export const MESSAGE_DONE = "[DONE]"
