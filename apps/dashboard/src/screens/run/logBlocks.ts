/** Turns the events of a run's log into what people read: pieces of a text become the text, a call and its result one thing. */
import type { LlmRequestLogEvent, RunEvent } from "@agent-platform/client"

/** One thing in the log. `key` stays the same while it grows. */
export type Block = { readonly key: number; readonly at: string } & (
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

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const line = (event: RunEvent, title: string, text = "", tone: "plain" | "bad" | "warn" | "good" = "plain"): Block => ({
  key: event.seq,
  at: event.created_at,
  is: "line",
  tone,
  title,
  text
})

type Blocks = Array<Block>

const appendText = (blocks: Blocks, event: RunEvent, of: "message" | "reasoning", text: string): void => {
  const last = blocks.at(-1)
  if (last?.is === "text" && last.of === of && last.isOpen)
    blocks[blocks.length - 1] = { ...last, text: last.text + text }
  else blocks.push({ key: event.seq, at: event.created_at, is: "text", of, text, isOpen: true })
}

/** The whole text takes the place of its pieces, of which a reader may have seen only the later ones. */
const completeText = (blocks: Blocks, event: RunEvent, of: "message" | "reasoning", text: string): void => {
  const place = blocks.findLastIndex((block) => block.is === "text" && block.of === of && block.isOpen)
  const open = blocks[place]
  const whole = { at: event.created_at, is: "text", of, text, isOpen: false } as const
  if (open === undefined) blocks.push({ ...whole, key: event.seq })
  else blocks[place] = { ...whole, key: open.key, at: open.at }
}

const completeTool = (blocks: Blocks, event: Extract<RunEvent, { type: "tool.completed" }>): void => {
  const { duration_ms, is_error = false, name, result, tool_call_id } = event.data
  const place = blocks.findLastIndex(
    (block) => block.is === "tool" && block.isOpen && block.callId === tool_call_id && block.name === name
  )
  const open = blocks[place]
  const done = { output: result, isError: is_error, millis: numberOf(duration_ms), isOpen: false }
  if (open?.is === "tool") blocks[place] = { ...open, ...done }
  else {
    const begun = { is: "tool", name, callId: tool_call_id, input: undefined } as const
    blocks.push({ key: event.seq, at: event.created_at, ...begun, ...done })
  }
}

const take = (blocks: Blocks, event: RunEvent): void => {
  switch (event.type) {
    case "message.delta":
      appendText(blocks, event, "message", event.data.text)
      break
    case "message.completed":
      completeText(blocks, event, "message", event.data.text)
      break
    case "reasoning.delta":
      appendText(blocks, event, "reasoning", event.data.text)
      break
    case "reasoning.completed":
      completeText(blocks, event, "reasoning", event.data.text)
      break
    case "tool.started": {
      const { arguments: input, name, tool_call_id: callId } = event.data
      const begun = { output: undefined, isError: false, millis: undefined, isOpen: true }
      blocks.push({ key: event.seq, at: event.created_at, is: "tool", name, callId, input, ...begun })
      break
    }
    case "tool.completed":
      completeTool(blocks, event)
      break
    case "llm.request":
      blocks.push({ key: event.seq, at: event.created_at, is: "model", request: event.data })
      break
    default:
      blocks.push(lineOf(event))
  }
}

type Plain = Exclude<
  RunEvent,
  { readonly type: `message.${"delta" | "completed"}` | `reasoning.${string}` | `tool.${string}` | "llm.request" }
>

const lineOf = (event: Plain): Block => {
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
      return line(event, "Asked", event.data.message, "warn")
    case "cancel.requested":
      return line(event, "Cancel requested", event.data.reason ?? "", "warn")
    case "log":
      return line(event, "Log", event.data.message ?? JSON.stringify(event.data))
    case "run.paused":
      return line(event, "Paused", event.data.message, "warn")
    case "run.failed":
      return line(event, "Failed", event.data.error ?? event.data.error_code ?? "", "bad")
    case "run.cancelled":
      return line(event, "Cancelled")
    case "run.succeeded":
      return line(event, "Succeeded", "", "good")
  }
}

/** The blocks after these events. Blocks that did not change stay the same objects. */
export const withEvents = (before: ReadonlyArray<Block>, events: ReadonlyArray<RunEvent>): ReadonlyArray<Block> => {
  const blocks = [...before]
  for (const event of events) take(blocks, event)
  return blocks
}

/** The types of events after which the run itself has changed: its state, or what it has cost. */
export const changesRun = ({ type }: RunEvent): boolean => type.startsWith("run.") || type === "llm.request"
