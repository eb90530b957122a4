/** Replies to calls of tools as they cross the wire. */
import { INPUT_BYTES_MAX, INTERRUPT_BYTES_MAX } from "@agent-platform/runs"
import { Schema } from "effect"
import { bounded, JsonIn, kibibytes, maybe } from "./formats.ts"
import { wire } from "./wire.ts"

/** Most calls of one answer of a model, and so most replies to calls at once. */
const CALLS_MAX = 128

/** The longest result of a call, and the longest reason of its failure, in characters. */
export const TOOL_RESULT_LENGTH_MAX = 64 * 1024

/** The longest reason of a decision, in characters. */
const APPROVAL_REASON_LENGTH_MAX = 2_000

/** Most arguments that a call is given in place of its own. */
const ARGUMENTS_MAX = 100

const toolCallId = bounded("The `tool_call_id` of a call in the question's `interrupt`", 1, 100)

/** One reply at least, since an empty list says nothing. */
const oneToMost = (replies: string) =>
  Schema.isBetweenLength(1, CALLS_MAX, { message: `must have 1 to ${CALLS_MAX} ${replies}` })

const lengthOf = (value: Schema.Json): number =>
  typeof value === "string" ? value.length : JSON.stringify(value).length

/** The results of calls that the caller has made. */
export const toolResults = Schema.Array(
  wire(
    {
      toolCallId,
      output: Schema.optionalKey(
        JsonIn.annotate({
          description: `The output: a text or any other JSON, of up to ${TOOL_RESULT_LENGTH_MAX} characters`
        }).check(
          Schema.makeFilter((value: Schema.Json) => lengthOf(value) <= TOOL_RESULT_LENGTH_MAX, {
            message: `must have at most ${TOOL_RESULT_LENGTH_MAX} characters`
          })
        )
      ),
      error: maybe(bounded("Why it failed, for the model; instead of an output", 1, TOOL_RESULT_LENGTH_MAX))
    },
    {
      identifier: "NewToolResult",
      description: "The result of a call that the caller has made: its output, or why it failed",
      examples: [{ tool_call_id: "call_1", output: { status: "shipped" } }],
      check: ({ error = null, output }) =>
        (output === undefined) === (error === null)
          ? { path: ["output"], issue: "must be given, or else error" }
          : undefined
    }
  )
)
  .annotate({
    description:
      `Results of the calls that the question's \`interrupt\` of type \`tool_calls\` waits for, of ${INPUT_BYTES_MAX / 1_024} KiB in all. Some ` +
      "may be missing: the run pauses again on those"
  })
  .check(oneToMost("results"))
  .check(kibibytes(INPUT_BYTES_MAX / 1_024))

/** Decisions about calls. */
export const approvals = Schema.Array(
  wire(
    {
      toolCallId,
      decision: Schema.Literals(["approve", "deny"]).annotate({ description: "Whether the call is made" }),
      input: maybe(
        Schema.Record(Schema.String, JsonIn)
          .annotate({
            description: "Other arguments to make it with. Those that do not fit the tool leave the call waiting"
          })
          .check(
            Schema.isMaxProperties(ARGUMENTS_MAX, { message: `must have at most ${ARGUMENTS_MAX} members` }),
            // As large as the arguments in the question can be, which they replace: they are shown within an interrupt.
            kibibytes(INTERRUPT_BYTES_MAX / 1_024)
          )
      ),
      // With "approve" it is kept in the reply and shown in the run's record; the model gets that of a denial alone.
      reason: maybe(bounded("Why it is denied, for the model", 1, APPROVAL_REASON_LENGTH_MAX))
    },
    {
      identifier: "NewToolApproval",
      description: "A decision about a call",
      examples: [{ tool_call_id: "call_1", decision: "deny", reason: "Refunds over 100 need a manager" }],
      check: ({ decision, input = null }) =>
        decision === "deny" && input !== null
          ? { path: ["input"], issue: "must be left out where a call is denied" }
          : undefined
    }
  )
)
  .annotate({
    description:
      "Decisions about the calls that the question's `interrupt` of type `approvals` waits for. Some may be missing: the run pauses " +
      "again on those"
  })
  .check(oneToMost("approvals"))
