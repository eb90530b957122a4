import type { Run } from "@agent-platform/client"

/** Whether the run itself has ended for good. */
export const isOver = ({ status }: Pick<Run, "status">): boolean => status !== "queued" && status !== "running"

/** A call of a tool that a run waits on. */
export interface WaitingCall {
  readonly tool_call_id: string
  readonly name: string
  readonly input: unknown
}

/** Agents of customers may put anything into a question. */
const isCall = (value: unknown): value is WaitingCall =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "tool_call_id") === "string" &&
  typeof Reflect.get(value, "name") === "string"

/** The thing that a paused run waits for. */
export type Waiting =
  | { readonly for: "answer"; readonly data: Readonly<Record<string, unknown>> | null }
  | { readonly for: "approvals" | "tool_calls"; readonly calls: ReadonlyArray<WaitingCall> }

/** Reads what a paused run waits for out of its `interrupt`. */
export const waitingOf = ({ interrupt }: Pick<Run, "interrupt">): Waiting => {
  const type = interrupt?.["type"]
  const calls = interrupt?.["calls"]
  if ((type === "approvals" || type === "tool_calls") && Array.isArray(calls) && calls.every(isCall)) {
    return { for: type, calls }
  }
  return { for: "answer", data: interrupt }
}
