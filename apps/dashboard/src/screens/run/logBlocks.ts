/** Turns the events of a run's log into what people read: pieces of a text become the text, a call and its result one thing. */
import type { LlmRequestLogEvent, RunEvent } from "@agent-platform/client"
import { jsonText } from "../../ui/jsonText.ts"

/** One thing in the log. `key` stays the same while it grows. `cut` has the size of an event that was too large to be kept whole. */
export type Block = { readonly key: number; readonly at: string; readonly cut: number | undefined } & (
  | { readonly is: "text"; readonly of: "message" | "reasoning"; readonly text: string; readonly isOpen: boolean }
  | {
      readonly is: "tool"
      readonly name: string
      readonly callId: string | undefined
      readonly input: string | undefined
      readonly output: string | undefined
      readonly isError: boolean
      readonly millis: number | undefined
      readonly isOpen: boolean
    }
  | { readonly is: "model"; readonly request: LlmRequestLogEvent["data"] }
  | {
      readonly is: "line"
      readonly tone: "plain" | "bad" | "warn" | "good"
      readonly title: string
      readonly text: string
    }
)

/** Members of an event's data that `textOf` leaves out: the block shows them elsewhere. */
const KNOWN = new Set(["name", "tool_call_id", "arguments", "result", "is_error", "duration_ms", "truncated", "bytes"])

/**
 * The text of a member. The platform's own events have a text there. Agents of customers may have put any value there, or other members
 * beside it: these are shown as JSON.
 */
const textOf = (data: object, member: "arguments" | "result" | "message"): string | undefined => {
  const value: unknown = Reflect.get(data, member)
  if (typeof value === "string") return value
  if (value !== undefined) return jsonText(value)
  const others = Object.entries(data).filter(([name]) => !KNOWN.has(name))
  return others.length === 0 ? undefined : jsonText(Object.fromEntries(others))
}

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const cutOf = ({ data }: { readonly data: unknown }): number | undefined => {
  if (typeof data !== "object" || data === null || !("truncated" in data && "bytes" in data)) return undefined
  return data.truncated === true ? numberOf(data.bytes) : undefined
}

const headOf = (event: RunEvent) => ({ key: event.seq, at: event.created_at, cut: cutOf(event) })

const line = (event: RunEvent, title: string, text = "", tone: "plain" | "bad" | "warn" | "good" = "plain"): Block => ({
  ...headOf(event),
  is: "line",
  tone,
  title,
  text
})

/** A call without a result: its place among the blocks, and an older one of the same tool and id that has no result either. */
interface OpenCall {
  readonly place: number
  readonly before: OpenCall | undefined
}

const ASKED = "Asked"

/** The log so far. */
export interface Log {
  readonly blocks: ReadonlyArray<Block>
  /** The latest calls without a result, by tool and id. */
  readonly openCalls: ReadonlyMap<string, OpenCall>
}

export const EMPTY_LOG: Log = { blocks: [], openCalls: new Map() }

interface Growing {
  readonly blocks: Array<Block>
  readonly openCalls: Map<string, OpenCall>
}

type TextBlock = Extract<Block, { readonly is: "text" }>

/** A piece of a text that is not whole yet, and its place among the blocks. */
interface Piece {
  readonly place: number
  readonly block: TextBlock
}

const appendText = ({ blocks }: Growing, event: RunEvent, of: TextBlock["of"], text: string): void => {
  const last = blocks.at(-1)
  if (last?.is === "text" && last.of === of && last.isOpen)
    blocks[blocks.length - 1] = { ...last, cut: cutOf(event) ?? last.cut, text: last.text + text }
  else blocks.push({ ...headOf(event), is: "text", of, text, isOpen: true })
}

/**
 * The pieces since the last whole text, with their places, the latest first. The search ends at that text, so that a long log is not gone
 * through for each one.
 */
const openPieces = (blocks: ReadonlyArray<Block>, of: TextBlock["of"]): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  for (let place = blocks.length - 1; place >= 0; place--) {
    const block = blocks[place] as Block
    if (block.is !== "text" || block.of !== of) continue
    if (!block.isOpen) break
    pieces.push({ place, block })
  }
  return pieces
}

/**
 * Takes a whole text, of which pieces may stand in the log, between the calls that were made meanwhile. From the end backwards, pieces that
 * match the text stay where they are, and the part before them that came in no piece goes in front of the first of them. Pieces further
 * back belong to a text that broke off, and stay.
 */
const completeText = ({ blocks }: Growing, event: RunEvent, of: TextBlock["of"], text: string): void => {
  const pieces = openPieces(blocks, of)
  for (const { block, place } of pieces) blocks[place] = { ...block, isOpen: false }
  const [latest] = pieces
  if (latest === undefined) {
    blocks.push({ ...headOf(event), is: "text", of, text, isOpen: false })
    return
  }
  // The event has only the text's beginning: the pieces have more of it.
  if (cutOf(event) !== undefined) return
  /** How much of the text, from its beginning, no piece has matched yet. */
  let rest = text.length
  let first = latest
  for (const piece of pieces) {
    if (rest === 0 || !text.endsWith(piece.block.text, rest)) break
    rest -= piece.block.text.length
    first = piece
  }
  // Where no piece matches, the text was changed after its pieces, as by redaction: it takes the place of the latest.
  const filled = rest === text.length ? text : text.slice(0, rest) + first.block.text
  if (rest > 0) blocks[first.place] = { ...first.block, text: filled, isOpen: false }
}

const callKey = (name: string, callId: string | undefined): string => JSON.stringify([name, callId ?? null])

const startTool = ({ blocks, openCalls }: Growing, event: Extract<RunEvent, { type: "tool.started" }>): void => {
  const { name, tool_call_id: callId } = event.data
  const input = textOf(event.data, "arguments")
  const begun = { output: undefined, isError: false, millis: undefined, isOpen: true }
  const key = callKey(name, callId)
  openCalls.set(key, { place: blocks.length, before: openCalls.get(key) })
  blocks.push({ ...headOf(event), is: "tool", name, callId, input, ...begun })
}

const completeTool = ({ blocks, openCalls }: Growing, event: Extract<RunEvent, { type: "tool.completed" }>): void => {
  const { duration_ms, name, tool_call_id } = event.data
  const key = callKey(name, tool_call_id)
  const call = openCalls.get(key)
  const open = call && blocks[call.place]
  const done = {
    output: textOf(event.data, "result"),
    isError: event.data.is_error === true,
    millis: numberOf(duration_ms),
    isOpen: false
  }
  if (call !== undefined && open?.is === "tool") {
    blocks[call.place] = { ...open, ...done, cut: cutOf(event) ?? open.cut }
    if (call.before === undefined) openCalls.delete(key)
    else openCalls.set(key, call.before)
  } else {
    const begun = { is: "tool", name, callId: tool_call_id, input: undefined } as const
    blocks.push({ ...headOf(event), ...begun, ...done })
  }
}

/** The line of a pause. Its question mostly stands in the line above, and is then not repeated. */
const pausedLine = (before: Block | undefined, event: Extract<RunEvent, { type: "run.paused" }>): Block => {
  const isAsked = before?.is === "line" && before.title === ASKED && before.text === event.data.message
  return line(event, "Paused", isAsked ? "" : event.data.message, "warn")
}

const take = (log: Growing, event: RunEvent): void => {
  switch (event.type) {
    case "message.delta":
      appendText(log, event, "message", event.data.text)
      break
    case "message.completed":
      completeText(log, event, "message", event.data.text)
      break
    case "reasoning.delta":
      appendText(log, event, "reasoning", event.data.text)
      break
    case "reasoning.completed":
      completeText(log, event, "reasoning", event.data.text)
      break
    case "tool.started":
      startTool(log, event)
      break
    case "tool.completed":
      completeTool(log, event)
      break
    case "llm.request":
      log.blocks.push({ ...headOf(event), is: "model", request: event.data })
      break
    case "run.paused":
      log.blocks.push(pausedLine(log.blocks.at(-1), event))
      break
    default:
      log.blocks.push(lineOf(event))
  }
}

/** The events that become a line each, by themselves. */
type LineEvent = Exclude<
  RunEvent,
  {
    readonly type:
      | `message.${"delta" | "completed"}`
      | `reasoning.${string}`
      | `tool.${string}`
      | "llm.request"
      | "run.paused"
  }
>

const lineOf = (event: LineEvent): Block => {
  switch (event.type) {
    case "run.queued":
      return line(event, "Queued")
    case "run.started":
      return line(event, event.attempt > 1 ? `Started, attempt ${event.attempt}` : "Started")
    case "run.retrying":
      return line(event, "Queued again", event.data.reason.replaceAll("_", " "), "warn")
    case "message.received":
      return line(event, "Reply received", event.data.message)
    case "interrupt.requested":
      return line(event, ASKED, event.data.message, "warn")
    case "cancel.requested":
      return line(event, "Cancel requested", event.data.reason ?? "", "warn")
    case "log":
      return line(event, "Log", textOf(event.data, "message"))
    case "run.failed":
      return line(event, "Failed", event.data.error ?? event.data.error_code ?? "", "bad")
    case "run.cancelled":
      return line(event, "Cancelled")
    case "run.succeeded":
      return line(event, "Succeeded", "", "good")
  }
}

/** The log after these events. Blocks that did not change stay the same objects. */
export const withEvents = (before: Log, events: ReadonlyArray<RunEvent>): Log => {
  const log = { blocks: [...before.blocks], openCalls: new Map(before.openCalls) }
  for (const event of events) take(log, event)
  return log
}

/** The types of events after which the run itself has changed: its state, or what it has cost. */
export const changesRun = ({ type }: RunEvent): boolean => type.startsWith("run.") || type === "llm.request"
