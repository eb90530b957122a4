/** Reads the tool calls in a run's log: those of the recipe `chat`, and those of agents behind a URL, whose members may be anything. */
import { isTooDeep } from "@agent-platform/kernel"
import type { RunEvent } from "@agent-platform/runs"
import { Predicate, type Schema } from "effect"

/** Longest name of a tool, and longest id of a call that is taken from a log, in characters. */
const NAME_LENGTH_MAX = 200

/** The members that events of calls have in every log. */
const ABOUT_CALLS = new Set(["bytes", "duration_ms", "is_error", "name", "tool_call_id", "truncated"])

type Data = RunEvent["data"]

/** A call that an interrupt waits for. */
export interface WaitingCall {
  readonly id: string
  readonly replyId: string
  readonly name: string
  readonly input: Schema.Json
  readonly error: string | undefined
}

/** A text, empty where there is none. */
export const textOf = (value: Schema.Json | undefined): string => (typeof value === "string" ? value : "")

/** The name of a tool. */
export const nameOf = (value: Schema.Json | undefined): string => textOf(value).slice(0, NAME_LENGTH_MAX) || "tool"

/** Whether a value can be the id of a call. */
export const isId = (value: Schema.Json | undefined): value is string =>
  typeof value === "string" && value !== "" && value.length <= NAME_LENGTH_MAX

/** The value of a text of JSON, which the log may have cut; undefined for none, and for one that is nested too deep. */
const parsed = (text: string): Schema.Json | undefined => {
  try {
    const value = JSON.parse(text)
    return isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** The members that an agent behind a URL has added to an event. */
const furtherMembers = (data: Data): Schema.Json =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !ABOUT_CALLS.has(name)))

/** The arguments of a call that begins, and whether they are a part of them. */
export const argumentsOf = (data: Data): { readonly input: Schema.Json; readonly isPartial: boolean } => {
  const given = data["arguments"]
  if (typeof given !== "string") return { input: given ?? furtherMembers(data), isPartial: false }
  const value = parsed(given)
  return value === undefined ? { input: given, isPartial: true } : { input: value, isPartial: false }
}

/** The output of a call. */
export const outputOf = (data: Data): Schema.Json => {
  const given = data["result"]
  if (given === undefined) return furtherMembers(data)
  if (typeof given !== "string" || !/^\s*[[{]/.test(given)) return given
  return parsed(given) ?? given
}

/** The calls that an interrupt waits for. `logIds` are the ids that the log has for them, in the same order. */
export const waitingIn = (
  interrupt: Schema.Json | undefined,
  logIds: Schema.Json | undefined
): ReadonlyArray<WaitingCall> => {
  const calls = Predicate.isObject(interrupt) && "calls" in interrupt ? interrupt["calls"] : undefined
  if (!Array.isArray(calls)) return []
  const ids: ReadonlyArray<unknown> = Array.isArray(logIds) && logIds.length === calls.length ? logIds : []
  return calls.flatMap((call: Schema.Json, index) => {
    if (!Predicate.isReadonlyObject(call)) return []
    const { error, input = null, name, tool_call_id: replyId } = call as Schema.JsonObject
    if (!isId(replyId)) return []
    const logId = ids[index]
    const id = typeof logId === "string" ? logId : replyId
    return [{ id, replyId, name: nameOf(name), input, error: textOf(error) || undefined }]
  })
}

/** The ids of the calls that a reply denies. */
export const deniedIn = (data: Data): ReadonlyArray<string> => {
  const decisions: ReadonlyArray<Schema.Json> = Array.isArray(data["approvals"]) ? data["approvals"] : []
  return decisions.flatMap((one) => {
    if (!Predicate.isReadonlyObject(one)) return []
    const { decision, tool_call_id: id } = one as Schema.JsonObject
    return decision === "deny" && isId(id) ? [id] : []
  })
}
