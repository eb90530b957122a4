/** Pauses on calls of tools, and the replies to them: results of tools that the caller has, and decisions about others. */
import { Predicate, Schema } from "effect"
import { storableText } from "./storable.ts"

/** The result of a tool that the caller has: what it gave back, or why it failed. */
export type ToolResultReply = { readonly toolCallId: string } & (
  | { readonly output: Schema.Json }
  | { readonly error: string }
)

/** A decision about a call: it is made, with other arguments if some are given, or it is not, for a reason. */
export interface ApprovalReply {
  readonly toolCallId: string
  readonly decision: "approve" | "deny"
  readonly input?: Schema.JsonObject | undefined
  readonly reason?: string | undefined
}

/** The part of a reply that answers calls. */
export interface CallReplies {
  readonly toolResults?: ReadonlyArray<ToolResultReply> | undefined
  readonly approvals?: ReadonlyArray<ApprovalReply> | undefined
}

/** A reply says something to calls that do not wait for it. */
export class CallReplyRefused extends Schema.TaggedError<CallReplyRefused>()("CallReplyRefused", {
  /** The member, and the place in it. */
  path: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  /** The requirement that is not met, as the end of a sentence that begins with the member. */
  detail: Schema.String
}) {}

/** Longest list of the ids that wait, in characters. */
const IDS_LENGTH_MAX = 1_000

/** The ids of the calls that an interrupt of this type waits for; undefined for another interrupt. */
const waitingIn = (interrupt: Schema.JsonObject | null, type: string): ReadonlyArray<string> | undefined => {
  const calls = interrupt?.["calls"]
  if (interrupt?.["type"] !== type || !Array.isArray(calls)) return undefined
  return calls.flatMap((call) => {
    const id = Predicate.isObject(call) && "tool_call_id" in call ? call["tool_call_id"] : undefined
    return typeof id === "string" ? [id] : []
  })
}

const refuse = (path: ReadonlyArray<string | number>, detail: string) => new CallReplyRefused({ path, detail })

const faultIn = (
  interrupt: Schema.JsonObject | null,
  type: "tool_calls" | "approvals",
  member: keyof CallReplies,
  replies: ReadonlyArray<{ readonly toolCallId: string }> | undefined
): CallReplyRefused | undefined => {
  if (replies === undefined) return undefined
  const waiting = waitingIn(interrupt, type)
  if (waiting === undefined) {
    const what = type === "tool_calls" ? "results of tools" : "approvals"
    return refuse([member], `must be left out: no question is open that waits for ${what}`)
  }
  const seen = new Set<string>()
  for (const [index, { toolCallId }] of replies.entries()) {
    const path = [member, index, "toolCallId"]
    if (!waiting.includes(toolCallId)) {
      return refuse(path, `must be one of the calls that wait: ${waiting.join(", ").slice(0, IDS_LENGTH_MAX)}`)
    }
    if (seen.has(toolCallId)) return refuse(path, "must not come twice")
    seen.add(toolCallId)
  }
  return undefined
}

/** Why a reply does not fit the interrupt of the question that it answers; undefined where it fits. */
export const callReplyFaultOf = (
  interrupt: Schema.JsonObject | null,
  { approvals, toolResults }: CallReplies
): CallReplyRefused | undefined =>
  faultIn(interrupt, "tool_calls", "toolResults", toolResults) ??
  faultIn(interrupt, "approvals", "approvals", approvals)

/** The replies to calls as members of the input of the run that goes on with them. `readCallReplies` reads them. */
export const callRepliesIn = ({ approvals, toolResults }: CallReplies): Schema.JsonObject => ({
  ...(toolResults === undefined
    ? {}
    : {
        tool_results: toolResults.map(({ toolCallId, ...result }) => ({
          tool_call_id: toolCallId,
          ...("error" in result ? { error: result.error } : { output: result.output })
        }))
      }),
  ...(approvals === undefined
    ? {}
    : {
        approvals: approvals.map(({ decision, input, reason, toolCallId }) => ({
          tool_call_id: toolCallId,
          decision,
          ...(input === undefined ? {} : { input }),
          ...(reason === undefined ? {} : { reason })
        }))
      })
})

/** Longest error of a tool's result in the log, in characters. */
const ERROR_SHOWN_MAX = 300

/** The replies to calls for the log, without what may be long: the log has results and arguments with their calls. */
export const callRepliesLogged = ({ approvals, toolResults }: CallReplies): Readonly<Record<string, Schema.Json>> => ({
  ...(toolResults === undefined
    ? {}
    : {
        tool_results: toolResults.map((result) => ({
          tool_call_id: result.toolCallId,
          ...("error" in result ? { error: storableText(result.error.slice(0, ERROR_SHOWN_MAX)) } : {})
        }))
      }),
  ...callRepliesIn({
    approvals: approvals?.map(({ decision, reason, toolCallId }) => ({
      toolCallId,
      decision,
      reason: reason === undefined ? undefined : storableText(reason)
    }))
  })
})

const ToolResultSaid = Schema.Struct({
  tool_call_id: Schema.String,
  output: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.String)
})

const ApprovalSaid = Schema.Struct({
  tool_call_id: Schema.String,
  decision: Schema.Literals(["approve", "deny"]),
  input: Schema.optionalKey(Schema.JsonObject),
  reason: Schema.optionalKey(Schema.String)
})

const decodeReplies = Schema.decodeUnknownOption(
  Schema.Struct({
    tool_results: Schema.optionalKey(Schema.Array(ToolResultSaid)),
    approvals: Schema.optionalKey(Schema.Array(ApprovalSaid))
  })
)

/** Reads out of the input of a run what `callRepliesIn` wrote there, for recipes that pause on calls. */
export const readCallReplies = (input: Schema.Json): CallReplies => {
  const read = decodeReplies(input)
  if (read._tag === "None") return {}
  const { approvals, tool_results } = read.value
  return {
    toolResults: tool_results?.map(({ error, output = null, tool_call_id: toolCallId }) =>
      error === undefined ? { toolCallId, output } : { toolCallId, error }
    ),
    approvals: approvals?.map(({ decision, input, reason, tool_call_id: toolCallId }) => ({
      toolCallId,
      decision,
      input,
      reason
    }))
  }
}
