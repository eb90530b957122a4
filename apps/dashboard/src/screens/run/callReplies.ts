/** Decisions on calls of tools, and their results, as somebody writes them. */
import { givenJson, isObject } from "../../ui/givenJson.ts"
import type { Reply } from "./ReplyPanel.tsx"
import type { Waiting, WaitingCall } from "./runState.ts"

/** An answer to a call as far as it is written. */
export interface CallDraft {
  /** `open`: it is not decided, and is asked again. */
  readonly choice: "open" | "approve" | "deny" | "result" | "error"
  /** Arguments in the place of those asked for, as JSON; null leaves them. */
  readonly input: string | null
  /** The reason, the result or the error. */
  readonly text: string
}

export const emptyDraft = (waitsFor: Waiting["for"]): CallDraft => ({
  choice: waitsFor === "approvals" ? "open" : "result",
  input: null,
  text: ""
})

/** The JSON object that a text is; undefined where it is none. */
const objectOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value = givenJson(text)
    return isObject(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** The value of a text: JSON where it is some, else the text. */
const outputOf = (text: string): unknown => {
  try {
    return givenJson(text)
  } catch {
    return text
  }
}

type Approval = NonNullable<Reply["approvals"]>[number]
type Result = NonNullable<Reply["tool_results"]>[number]

const approvalOf = (tool_call_id: string, { choice, input, text }: CallDraft): Approval | undefined => {
  if (choice === "deny") return { tool_call_id, decision: "deny", ...(text === "" ? {} : { reason: text }) }
  if (choice !== "approve") return undefined
  return { tool_call_id, decision: "approve", ...(input === null ? {} : { input: objectOf(input) }) }
}

const resultOf = (tool_call_id: string, { choice, text }: CallDraft): Result | undefined => {
  if (text === "") return undefined
  return choice === "error" ? { tool_call_id, error: text } : { tool_call_id, output: outputOf(text) }
}

/** Whether a draft can be sent as it is. */
export const isSound = ({ choice, input }: CallDraft): boolean =>
  choice !== "approve" || input === null || objectOf(input) !== undefined

/** The reply, or undefined as long as nothing is decided or something is not sound. */
export const replyOf = (
  waitsFor: "approvals" | "tool_calls",
  calls: ReadonlyArray<WaitingCall>,
  draftOf: (call: WaitingCall) => CallDraft
): Reply | undefined => {
  if (!calls.every((call) => isSound(draftOf(call)))) return undefined
  if (waitsFor === "approvals") {
    const approvals = calls.flatMap((call) => approvalOf(call.tool_call_id, draftOf(call)) ?? [])
    return approvals.length === 0 ? undefined : { approvals }
  }
  const results = calls.flatMap((call) => resultOf(call.tool_call_id, draftOf(call)) ?? [])
  return results.length === 0 ? undefined : { tool_results: results }
}
