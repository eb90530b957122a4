/** Sorts the calls of an answer: those that are made, and those on which the turn ends. */
import type { AgentTools } from "../tools/agentTools.ts"
import { ASK_USER } from "../tools/askUser.ts"
import { type Conversation, type OpenCall, openCalls } from "./Conversation.ts"
import { misuseOf } from "./useTool.ts"

/** A call to be made now, or to be answered with its fault. */
export interface DueCall {
  readonly call: OpenCall
  readonly fault: string | undefined
}

/** The calls without a result. */
export interface DueCalls {
  /** Those that need nobody, in the order in which the model called for them. */
  readonly due: ReadonlyArray<DueCall>
  /** The question on which the turn ends once nothing is due. */
  readonly question: OpenCall | undefined
}

const ANOTHER_QUESTION = "Another question waits for its answer already"

/** Sorts the calls without a result. The first question that is one is asked; others are faults. */
export const dueCallsOf = (conversation: Conversation, tools: AgentTools): DueCalls => {
  let question: OpenCall | undefined
  const due = openCalls(conversation).flatMap((call): ReadonlyArray<DueCall> => {
    const fault = misuseOf(call, tools)
    if (fault !== undefined || call.toolName !== ASK_USER) return [{ call, fault }]
    if (question !== undefined) return [{ call, fault: ANOTHER_QUESTION }]
    question = call
    return []
  })
  return { due, question }
}
