/** A run's log as chunks of a message of the AI SDK. docs/client.md, In a chat, has the table of what becomes of each event. */
import type { MessageCall, MessageChunk, MessageRun } from "@agent-platform/contract"
import type { Run, RunEvent } from "@agent-platform/runs"
import { Predicate, type Schema } from "effect"
import { argumentsOf, deniedIn, isId, nameOf, outputOf, textOf, type WaitingCall, waitingIn } from "./loggedCalls.ts"
import { makeMessageWords } from "./messageWords.ts"

/** Most open calls that are remembered; beyond that the oldest is given up. */
const OPEN_CALLS_MAX = 128

/** The tool by which the recipe `chat` asks: the call is shown as a question. */
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
 * Makes the function that turns the events of a run's log, in their order, into the chunks of its message. Whatever the events are, a
 * block of words has its start before its deltas and its end before the message's, and the output of a tool follows its input. The
 * event that ends a run needs the run, whose result and message stand in no event.
 */
export const makeMessageChunks = (): ((event: RunEvent, ended?: Run) => ReadonlyArray<MessageChunk>) => {
  let chunks: Array<MessageChunk> = []
  let isStarted = false
  /** The ids of calls without a result. A call whose event had no id has its name here, by which its result is matched. */
  const openCalls = new Map<string, string | undefined>()
  let waitingIds: Schema.Json | undefined
  let denied: ReadonlyArray<string> = []
  let finishReason: Schema.Json | undefined

  let isInStep = false
  /** Whether this step may have calls. True at first, since a run that goes on with a message continues the step of the run before. */
  let hasCalls = true

  const add = (chunk: MessageChunk): void => {
    chunks.push(chunk)
  }

  const endStep = () => {
    if (isInStep) add({ type: "finish-step" })
    isInStep = false
  }

  /** Begins a step behind calls: a page goes on by itself once all calls of the last step have their results. */
  const stepBehindCalls = () => {
    if (!hasCalls) return
    endStep()
    add({ type: "start-step" })
    isInStep = true
    hasCalls = false
  }

  const words = makeMessageWords((chunk) => {
    if (chunk.type === "text-start" || chunk.type === "reasoning-start") stepBehindCalls()
    add(chunk)
  })

  const giveUp = (id: string, errorText: string) => {
    openCalls.delete(id)
    add({ type: "tool-output-error", toolCallId: id, errorText, dynamic: true })
  }

  /** Adds a call that the platform, or the agent, makes itself; or one that the page is to make. */
  const addCall = (id: string, name: string, input: Schema.Json, by: "platform" | "page", about: MessageCall) => {
    hasCalls = true
    add({
      type: "tool-input-available",
      toolCallId: id,
      toolName: name,
      input,
      dynamic: true,
      providerExecuted: by === "platform",
      toolMetadata: about
    })
  }

  const beginCall = (seq: number, data: Data) => {
    const name = nameOf(data["name"])
    const given = data["tool_call_id"]
    const id = isId(given) ? given : `event.${seq}`
    const { input, isPartial } = argumentsOf(data)
    words.interrupt()
    addCall(id, name, input, "platform", isPartial ? { is_partial: true } : {})
    // Deleted first, so that the newest call is the last of the map.
    openCalls.delete(id)
    openCalls.set(id, isId(given) ? undefined : name)
    const [oldest] = openCalls.keys()
    if (openCalls.size > OPEN_CALLS_MAX && oldest !== undefined) giveUp(oldest, NO_RESULT)
  }

  const openByName = (name: string): string | undefined => {
    for (const [id, known] of openCalls) if (known === name) return id
    return undefined
  }

  const endCall = (seq: number, data: Data) => {
    const name = nameOf(data["name"])
    const given = data["tool_call_id"]
    const id = isId(given) ? given : (openByName(name) ?? `event.${seq}`)
    if (!openCalls.has(id)) addCall(id, name, null, "platform", { is_partial: true })
    openCalls.delete(id)
    const isError = data["is_error"] === true
    // In the log a call's id has the number of the model's answer before the id that the reply names.
    if (isError && denied.some((replyId) => id === replyId || id.endsWith(`.${replyId}`)))
      return add({ type: "tool-output-denied", toolCallId: id })
    const output = outputOf(data)
    if (!isError) return add({ type: "tool-output-available", toolCallId: id, output, dynamic: true })
    const errorText = textOf(data["result"]) || JSON.stringify(output)
    return add({ type: "tool-output-error", toolCallId: id, errorText, dynamic: true })
  }

  const giveUpAll = (errorText: string) => {
    for (const id of openCalls.keys()) giveUp(id, errorText)
  }

  const showStatus = (now: string) => add({ type: "data-status", data: { status: now }, transient: true })

  const ask = (waiting: ReadonlyArray<WaitingCall>, waitsFor: "approval" | "result", runId: string) => {
    for (const { error, id, input, name, replyId } of waiting) {
      // An approved call is made by the platform; only a call that waits for its result is the page's to make.
      addCall(id, name, input, waitsFor === "approval" ? "platform" : "page", {
        waits_for: waitsFor,
        run_id: runId,
        reply_id: replyId
      })
      openCalls.delete(id)
      if (waitsFor === "result") continue
      const reason = error === undefined ? {} : { reason: error }
      add({ type: "tool-approval-request", approvalId: `${runId}/${replyId}`, toolCallId: id, ...reason })
    }
  }

  /** Adds what the run waits for. True for calls, false for a question. */
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
    stepBehindCalls()
    add({ type: "data-question", id: runId, data: { run_id: runId, message: message || null, interrupt } })
    return false
  }

  /** Adds the message and the result of a run, unless they were said already. */
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
    if (!waitsForCalls) stepBehindCalls()
    if (type === "run.succeeded" && ended !== undefined) conclude(seq, ended)
    endStep()
    const status = type.slice("run.".length)
    const about: MessageRun = { run_id: runId, session_id: sessionId, status, ...(isWell ? {} : failureIn(data)) }
    // Before the failure, since a reader may stop there.
    add({ type: "message-metadata", messageMetadata: about })
    if (type === "run.failed") add({ type: "error", errorText: textOf(data["error"]) || "The run has failed" })
    if (type === "run.cancelled") add({ type: "abort" })
    const reason =
      typeof finishReason === "string" && Object.hasOwn(FINISH_REASONS, finishReason)
        ? FINISH_REASONS[finishReason as keyof typeof FINISH_REASONS]
        : "stop"
    const badReason = type === "run.failed" ? "error" : "other"
    add({ type: "finish", finishReason: waitsForCalls ? "tool-calls" : isWell ? reason : badReason })
  }

  const translate: Readonly<Record<RunEvent["type"], (event: RunEvent, ended?: Run) => void>> = {
    "run.queued": () => showStatus("queued"),
    "run.started": () => {
      words.endAll(true)
      showStatus("running")
    },
    "run.retrying": () => {
      words.endAll(true)
      giveUpAll(LOST)
      showStatus("queued")
    },
    "cancel.requested": () => showStatus("cancelling"),
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
