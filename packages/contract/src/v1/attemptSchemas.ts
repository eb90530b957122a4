/** Callbacks of agents of one's own as they cross the wire. Spec: Agents 4. */
import { CALLBACK_LINES_MAX, RunStatus } from "@agent-platform/runs"
import { Schema } from "effect"
import { flag, id } from "./formats.ts"
import { wire } from "./wire.ts"

/** The body of a callback. It is read once its signature is verified. */
export const CallbackBody = wire(
  {
    attempt: Schema.Int.annotate({ description: "The `attempt` of the request to the agent" }),
    lines: Schema.Array(Schema.Json)
      .annotate({ description: "The lines of the agent's answer, the last of which ends the run" })
      .check(Schema.isMaxLength(CALLBACK_LINES_MAX, { message: `must have at most ${CALLBACK_LINES_MAX} lines` }))
  },
  {
    identifier: "RunCallback",
    description: "The answer of an agent that has worked without a connection",
    examples: [{ attempt: 1, lines: [{ type: "result", result: { refund: "12.50" }, message: "Refunded." }] }]
  }
)

/** The run after a callback. */
export const CallbackReceipt = wire(
  {
    runId: id("The run"),
    status: RunStatus.annotate({ description: "The status of the run: `cancelled` where that was asked for before" }),
    paused: flag("Whether it ended on a question")
  },
  { identifier: "CallbackReceipt", description: "What became of a run by a callback" }
)
