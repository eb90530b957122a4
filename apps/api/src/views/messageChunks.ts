/** A run's log as chunks of a message of the AI SDK. docs/client.md, In a chat, has the table of what becomes of each event. */
import type { MessageCall, MessageChunk, MessageRun } from "@agent-platform/contract"
import type { Run, RunEvent } from "@agent-platform/runs"
import { Predicate, type Schema } from "effect"
import { argumentsOf, deniedIn, isId, nameOf, outputOf, textOf, type WaitingCall, waitingIn } from "./loggedCalls.ts"
import { makeMessageWords } from "./messageWords.ts"

/** Most calls without a result that are kept in mind; the oldest of more is given up. */
const OPEN_CALLS_MAX = 128

/** The tool by which a chat asks: its question is shown as one, not as a call. */
const ASK_USER = "ask_user"

const NO_RESULT = "The call has no result"
const LOST = "The worker that made the call was lost"

const FINISH_REASONS = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter"
} as const

type Data = RunEvent["data"]

const failureIn = (data: Data) => ({
  error_code: textOf(data["error_code"]) || null,
  error: textOf(data["error"]) || null
})

/**
 * A function that turns the events of a run's log, in their order, into the chunks of its message. Whatever the events are, words
 * begin before they go on and end before the message does, and outputs of tools follow inputs. The run is needed for the event that
 * ends it: its result and message stand in no event.
 */
export const makeMessageChunks = (): ((event: RunEvent, ended?: Run) => ReadonlyArray<MessageChunk>) => {
  let chunks: Array<MessageChunk> = []
  let isStarted = false
  /** Ids of calls without a result, with the name where it is all that a log has of them. */
  const open = new Map<string, string | undefined>()
  let waitingIds: Schema.Json | undefined
  let denied: ReadonlyArray<string> = []
  let finishReason: Schema.Json | undefined

  let isInStep = false
  /** Whether calls may have gone before in this step: of a run that goes on with a message, those of the run before. */
  let hasCalls = true

  const add = (chunk: MessageChunk): void => {
    chunks.push(chunk)
  }

  const endStep = () => {
    if (isInStep) add({ type: "finish-step" })
    isInStep = false
  }

  /** Begins a step where calls went before: a page goes on by itself when all calls of the last step have their results. */
  const step = () => {
    if (!hasCalls) return
    endStep()
    add({ type: "start-step" })
    isInStep = true
    hasCalls = false
  }

  const words = makeMessageWords((chunk) => {
    if (chunk.type === "text-start" || chunk.type === "reasoning-start") step()
    add(chunk)
  })

  const giveUp = (id: string, errorText: string) => {
    open.delete(id)
    add({ type: "tool-output-error", toolCallId: id, errorText, dynamic: true })
  }

  const call = (id: string, name: string, input: Schema.Json, isOurs: boolean, about: MessageCall) => {
    hasCalls = true
    add({
      type: "tool-input-available",
      toolCallId: id,
      toolName: name,
      input,
      dynamic: true,
      providerExecuted: isOurs,
      toolMetadata: about
    })
  }

  const beginCall = (seq: number, data: Data) => {
    const name = nameOf(data["name"])
    const given = data["tool_call_id"]
    const id = isId(given) ? given : `event.${seq}`
    const { input, isPartial } = argumentsOf(data)
    words.interrupt()
    call(id, name, input, true, isPartial ? { is_partial: true } : {})
    open.delete(id)
    open.set(id, isId(given) ? undefined : name)
    const [oldest] = open.keys()
    if (open.size > OPEN_CALLS_MAX && oldest !== undefined) giveUp(oldest, NO_RESULT)
  }

  const openByName = (name: string): string | undefined => {
    for (const [id, known] of open) if (known === name) return id
    return undefined
  }

  const endCall = (seq: number, data: Data) => {
    const name = nameOf(data["name"])
    const given = data["tool_call_id"]
    const id = isId(given) ? given : (openByName(name) ?? `event.${seq}`)
    if (!open.has(id)) call(id, name, null, true, { is_partial: true })
    open.delete(id)
    const isError = data["is_error"] === true
    if (isError && denied.some((replyId) => id === replyId || id.endsWith(`.${replyId}`)))
      return add({ type: "tool-output-denied", toolCallId: id })
    const output = outputOf(data)
    if (!isError) return add({ type: "tool-output-available", toolCallId: id, output, dynamic: true })
    const errorText = textOf(data["result"]) || JSON.stringify(output)
    return add({ type: "tool-output-error", toolCallId: id, errorText, dynamic: true })
  }

  const giveUpAll = (errorText: string) => {
    for (const id of open.keys()) giveUp(id, errorText)
  }

  const status = (now: string) => add({ type: "data-status", data: { status: now }, transient: true })

  const ask = (waiting: ReadonlyArray<WaitingCall>, waitsFor: "approval" | "result", runId: string) => {
    for (const { error, id, input, name, replyId } of waiting) {
      // A call that is approved of may still be none for the page to make, so only results are asked for as calls of its own.
      call(id, name, input, waitsFor === "approval", { waits_for: waitsFor, run_id: runId, reply_id: replyId })
      open.delete(id)
      if (waitsFor === "result") continue
      const reason = error === undefined ? {} : { reason: error }
      add({ type: "tool-approval-request", approvalId: `${runId}/${replyId}`, toolCallId: id, ...reason })
    }
  }

  const pause = ({ data, runId, seq }: RunEvent): boolean => {
    const interrupt = data["interrupt"] ?? null
    const type = Predicate.isObject(interrupt) && "type" in interrupt ? interrupt["type"] : undefined
    const waiting = type === "approvals" || type === "tool_calls" ? waitingIn(interrupt, waitingIds) : []
    if (waiting.length > 0) {
      ask(waiting, type === "approvals" ? "approval" : "result", runId)
      return true
    }
    const message = textOf(data["message"])
    words.sayUnlessSaid(`question.${seq}`, message)
    step()
    add({ type: "data-question", id: runId, data: { run_id: runId, message: message || null, interrupt } })
    return false
  }

  /** The result and the message of a run, where its words were not the same. */
  const conclude = (seq: number, { message, result, id }: Run) => {
    words.sayUnlessSaid(`message.${seq}`, message ?? "")
    if (result !== null && result !== message) add({ type: "data-result", id, data: { result } })
  }

  const end = (event: RunEvent, ended?: Run) => {
    const { data, runId, seq, sessionId, type } = event
    const isWell = type === "run.succeeded" || type === "run.paused"
    words.endAll(!isWell)
    const waitsForCalls = type === "run.paused" && pause(event)
    giveUpAll(NO_RESULT)
    if (!waitsForCalls) step()
    if (type === "run.succeeded" && ended !== undefined) conclude(seq, ended)
    endStep()
    const status = type.slice("run.".length)
    const about: MessageRun = { run_id: runId, session_id: sessionId, status, ...(isWell ? {} : failureIn(data)) }
    // A reader may stop at the failure, so that the message has to say so by then.
    add({ type: "message-metadata", messageMetadata: about })
    if (type === "run.failed") add({ type: "error", errorText: textOf(data["error"]) || "The run has failed" })
    if (type === "run.cancelled") add({ type: "abort" })
    const reason =
      typeof finishReason === "string" && Object.hasOwn(FINISH_REASONS, finishReason)
        ? FINISH_REASONS[finishReason as keyof typeof FINISH_REASONS]
        : "stop"
    const isFailed = type === "run.failed" ? "error" : "other"
    add({ type: "finish", finishReason: waitsForCalls ? "tool-calls" : isWell ? reason : isFailed })
  }

  const translate: Readonly<Record<RunEvent["type"], (event: RunEvent, ended?: Run) => void>> = {
    "run.queued": () => status("queued"),
    "run.started": () => {
      words.endAll(true)
      status("running")
    },
    "run.retrying": () => {
      words.endAll(true)
      giveUpAll(LOST)
      status("queued")
    },
    "cancel.requested": () => status("cancelling"),
    "message.delta": ({ data, seq }) => words.say("text", `text.${seq}`, textOf(data["text"]), data["request_id"]),
    "message.completed": ({ data, seq }) => words.complete("text", `text.${seq}`, data),
    "reasoning.delta": ({ data, seq }) =>
      words.say("reasoning", `reasoning.${seq}`, textOf(data["text"]), data["request_id"]),
    "reasoning.completed": ({ data, seq }) => words.complete("reasoning", `reasoning.${seq}`, data),
    "tool.started": ({ data, seq }) => {
      if (data["name"] !== ASK_USER) beginCall(seq, data)
    },
    "tool.completed": ({ data, seq }) => {
      if (data["name"] !== ASK_USER) endCall(seq, data)
    },
    "llm.request": ({ data }) => {
      finishReason = data["finish_reason"]
    },
    "message.received": ({ data }) => {
      denied = deniedIn(data)
    },
    "interrupt.requested": ({ data }) => {
      waitingIds = data["tool_call_ids"]
    },
    log: ({ data }) => add({ type: "data-log", data: { message: textOf(data["message"]) }, transient: true }),
    "run.succeeded": end,
    "run.paused": end,
    "run.failed": end,
    "run.cancelled": end
  }

  return (event, ended) => {
    chunks = []
    if (!isStarted) {
      isStarted = true
      const messageMetadata = { run_id: event.runId, session_id: event.sessionId }
      add({ type: "start", messageId: event.runId, messageMetadata })
    }
    translate[event.type](event, ended)
    return chunks
  }
}
