/** Sorts the calls of an answer: those that are made or answered now, and those on which the turn ends. */
import { isTooDeep, NESTING_MAX } from "@agent-platform/kernel"
import { INTERRUPT_BYTES_MAX, type Redactor } from "@agent-platform/runs"
import { Predicate, type Schema } from "effect"
import { type AgentTools, needsApproval, originOf } from "../tools/agentTools.ts"
import { ASK_USER, FORM_OF_QUESTIONS, questionOf } from "../tools/askUser.ts"
import { type ToolOutcome, toolFailure } from "../tools/Tool.ts"
import { type Conversation, type OpenCall, openCalls } from "./Conversation.ts"
import type { Misfits } from "./misfits.ts"
import { UNREADABLE } from "./ReceivedAnswer.ts"
import { bytesOf } from "./tokens.ts"

/** A call to be made by us, or whose result is there. */
export interface DueCall {
  readonly call: OpenCall
  /** The result; undefined for a call that is to be made. */
  readonly given: ToolOutcome | undefined
}

/** The end of a turn on its calls: how its run is paused. */
export interface Pause {
  readonly message: string
  readonly interrupt: Schema.JsonObject
  /** The ids that the log has for the calls that it waits for, in the order of the interrupt. */
  readonly turnIds: ReadonlyArray<string>
  /** The calls that others make from now on. */
  readonly handedOver: ReadonlyArray<OpenCall>
}

/** The calls without a result. */
export interface DueCalls {
  /** Those that wait for nobody, in the order in which the model called for them. */
  readonly due: ReadonlyArray<DueCall>
  /** How the turn ends once nothing is due: on approvals first, then on tools of the caller, then on a question. */
  readonly pause: Pause | undefined
}

/** The levels of an interrupt around the arguments of a call: the object, its list of calls, and the call. */
const LEVELS_AROUND_ARGUMENTS = 3

/** Bytes of an interrupt beside its calls. */
const AROUND_CALLS_BYTES = 256

/** Longest list of tools in the message of a pause, in characters. */
const NAMES_LENGTH_MAX = 500

/** The reason why a call cannot be made, for the model; undefined for one that can. */
const misuseOf = (
  call: OpenCall,
  { asksUser, byName, functions }: AgentTools,
  misfits: Misfits
): string | undefined => {
  const { input, toolName } = call
  const known = [...byName.keys(), ...functions.keys(), ...(asksUser ? [ASK_USER] : [])]
  if (!known.includes(toolName)) return `There is no tool '${toolName}'. There are: ${known.join(", ") || "none"}`
  const isUnreadable = Predicate.isObject(input) && UNREADABLE in input
  if (isUnreadable) {
    return `The arguments must be a JSON object of at most ${NESTING_MAX} levels, with integers beyond 9007199254740991 as text`
  }
  const misfit = misfits.get(call.shownId)
  if (misfit !== undefined) return `The call was not made: its arguments do not fit the tool's schema: ${misfit}`
  return toolName === ASK_USER && questionOf(call) === undefined ? FORM_OF_QUESTIONS : undefined
}

/** A call as an interrupt shows it. `error` says why it waits again. */
const entryOf = ({ input, shownId, toolName }: OpenCall, error: string | undefined): Schema.JsonObject => ({
  tool_call_id: shownId,
  name: toolName,
  input,
  ...(error === undefined ? {} : { error })
})

/** How many bytes an entry takes of an interrupt, as it is and without secrets, whichever is more. */
const entryBytes = (entry: Schema.JsonObject, redactor: Redactor): number =>
  1 + Math.max(bytesOf(JSON.stringify(entry)), bytesOf(JSON.stringify(redactor.json(entry))))

/** The reason why a call cannot be shown to anybody, for the model; undefined where it can. */
const unshowable = (call: OpenCall, redactor: Redactor): string | undefined => {
  const entry = entryOf(call, undefined)
  if (isTooDeep({ calls: [entry] }))
    return `The arguments must be a JSON object of at most ${NESTING_MAX - LEVELS_AROUND_ARGUMENTS} levels`
  const left = INTERRUPT_BYTES_MAX - AROUND_CALLS_BYTES
  return entryBytes(entry, redactor) > left ? `The arguments must be at most ${left} bytes with the call` : undefined
}

/** The pause on these calls: on as many as an interrupt holds, the others wait for the next one. */
const pauseOn = (
  type: "approvals" | "tool_calls",
  calls: ReadonlyArray<OpenCall>,
  { replies }: Conversation,
  redactor: Redactor
): Pause => {
  let left = INTERRUPT_BYTES_MAX - AROUND_CALLS_BYTES
  const shown: Array<OpenCall> = []
  const entries: Array<Schema.JsonObject> = []
  for (const call of calls) {
    const reply = replies[call.shownId]
    const plain = entryOf(call, undefined)
    const explained = reply?._tag === "Unfit" ? entryOf(call, reply.detail) : plain
    // Why a call waits again is left out where there is no room for it.
    const entry = entryBytes(explained, redactor) <= left ? explained : plain
    left -= entryBytes(entry, redactor)
    if (left < 0) break
    shown.push(call)
    entries.push(entry)
  }
  const names = [...new Set(shown.map(({ toolName }) => toolName))].join(", ").slice(0, NAMES_LENGTH_MAX)
  const message = type === "approvals" ? `Approval is asked for: ${names}` : `Results are asked for: ${names}`
  return {
    message,
    interrupt: { type, calls: entries },
    turnIds: shown.map(({ turnId }) => turnId),
    handedOver: type === "tool_calls" ? shown : []
  }
}

const ANOTHER_TOOL = "The call was not made: its tool has been replaced by another of this name since"
const ANOTHER_QUESTION = "Another question waits for its answer already"

/**
 * Sorts the calls without a result. Failed ones are due with their failure as the result:
 * - every question but the first that can be asked,
 * - a call that a person or the caller has to see, if it is too large to be shown,
 * - a call whose tool's name is another tool's by now: an approval meant the tool that was called for.
 */
export const dueCallsOf = (
  conversation: Conversation,
  tools: AgentTools,
  redactor: Redactor,
  misfits: Misfits
): DueCalls => {
  const due: Array<DueCall> = []
  const approvals: Array<OpenCall> = []
  const functions: Array<OpenCall> = []
  let question: OpenCall | undefined
  for (const call of openCalls(conversation)) {
    const { shownId, toolName } = call
    const reply = conversation.replies[shownId]
    const fail = (reason: string) => void due.push({ call, given: toolFailure(reason) })
    const misuse = misuseOf(call, tools, misfits)
    const waitsForApproval = reply?._tag !== "Approved" && needsApproval(tools, toolName)
    const isFunction = tools.functions.has(toolName)
    const unshown = waitsForApproval || isFunction ? unshowable(call, redactor) : undefined
    if (reply?._tag === "Result") due.push({ call, given: { ...reply, truncated: false } })
    else if (reply?._tag === "Denied") fail(reply.reason)
    else if (misuse !== undefined) fail(misuse)
    else if (conversation.origins[shownId] !== originOf(tools, toolName)) fail(ANOTHER_TOOL)
    else if (unshown !== undefined) fail(unshown)
    else if (waitsForApproval) approvals.push(call)
    else if (isFunction) functions.push(call)
    else if (toolName !== ASK_USER) due.push({ call, given: undefined })
    else if (question !== undefined) fail(ANOTHER_QUESTION)
    else question = call
  }
  const asked = question === undefined ? undefined : questionOf(question)
  const pause =
    approvals.length > 0
      ? pauseOn("approvals", approvals, conversation, redactor)
      : functions.length > 0
        ? pauseOn("tool_calls", functions, conversation, redactor)
        : question && asked && { ...asked, turnIds: [question.turnId], handedOver: [question] }
  return { due, pause }
}
