/** Messages of a chat of the AI SDK, as the service takes them. */
import type { AgentPlatformClient } from "./createClient.ts"
import type { ReplyToSessionRequest } from "./generated/calls.ts"
import type { MessageCall, MessageRun } from "./messageChunks.ts"

/** A message of the AI SDK, as far as it is read here. */
export interface ChatMessage {
  readonly id: string
  readonly role: string
  readonly metadata?: unknown
  readonly parts: ReadonlyArray<object>
}

/** A part, with the members of the kinds that are read here. */
interface Part {
  readonly type: string
  readonly text?: string
  readonly mediaType?: string
  readonly filename?: string
  readonly url?: string
  readonly state?: string
  readonly output?: unknown
  readonly errorText?: string
  readonly approval?: { readonly approved?: boolean; readonly reason?: string }
  readonly toolCallId?: string
  readonly toolMetadata?: MessageCall
}

type Reply = NonNullable<ReplyToSessionRequest["body"]>

/** A message to the agent. The first of a chat has no session yet: `session_id` is null. */
export interface ChatSaid extends Reply {
  readonly session_id: string | null
}

/** The run that the message has made. */
export interface ChatRun {
  readonly run_id: string
  readonly session_id: string
}

/** Sends a message to the agent. In a page it is a request to a backend of yours, whose key may trigger runs. */
export type SendToChat = (said: ChatSaid) => Promise<ChatRun>

/** The parts of a message. */
export const partsOf = ({ parts }: Pick<ChatMessage, "parts">): ReadonlyArray<Part> => parts as ReadonlyArray<Part>

/** The run behind a message; the last one if the message goes on over several runs. */
export const runOf = ({ metadata }: ChatMessage): MessageRun | undefined =>
  typeof metadata === "object" && metadata !== null && "run_id" in metadata ? (metadata as MessageRun) : undefined

type Content = NonNullable<Reply["content"]>[number]

/** A file as the service takes it: an image or another file, by its base64 from a data URL, or else by its address. */
const contentOf = ({ filename, mediaType = "", type, url = "" }: Part): ReadonlyArray<Content> => {
  if (type !== "file") return []
  const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
  const source = data === undefined ? { url } : { data }
  const isImage = mediaType.startsWith("image/")
  const about = isImage || filename === undefined ? {} : { filename }
  return [{ type: isImage ? "image" : "file", media_type: mediaType, ...source, ...about } as Content]
}

/** The decisions and results in a message that its run waits for. */
const repliesIn = (message: ChatMessage | undefined): Pick<Reply, "approvals" | "tool_results" | "run_id"> => {
  const run = message && runOf(message)
  if (message === undefined || run?.status !== "paused") return {}
  const waiting = partsOf(message).filter(({ toolMetadata }) => toolMetadata?.run_id === run.run_id)
  const approvals: Array<NonNullable<Reply["approvals"]>[number]> = []
  const results: Array<NonNullable<Reply["tool_results"]>[number]> = []
  for (const { approval, errorText, output, state, toolMetadata } of waiting) {
    const tool_call_id = toolMetadata?.reply_id ?? ""
    if (toolMetadata?.waits_for === "result") {
      if (state === "output-error") results.push({ tool_call_id, error: errorText || "It failed" })
      if (state === "output-available") results.push({ tool_call_id, output: output ?? null })
    } else if (state === "approval-responded") {
      const reason = approval?.reason ? { reason: approval.reason } : {}
      const isApproved = approval?.approved === true
      approvals.push(isApproved ? { tool_call_id, decision: "approve" } : { tool_call_id, decision: "deny", ...reason })
    }
  }
  if (approvals.length === 0 && results.length === 0) return {}
  return {
    run_id: run.run_id,
    ...(approvals.length === 0 ? {} : { approvals }),
    ...(results.length === 0 ? {} : { tool_results: results })
  }
}

/**
 * The reply that the messages of a chat end with. If the person wrote last, these are their words, and what they decided in the message
 * before; otherwise the decisions and results in the last message.
 */
export const replyIn = (messages: ReadonlyArray<ChatMessage>): Reply => {
  const last = messages.at(-1)
  if (last === undefined) return {}
  if (last.role !== "user") return repliesIn(last)
  const parts = partsOf(last)
  const content = parts.flatMap(contentOf)
  return {
    ...repliesIn(messages.at(-2)),
    message: parts.flatMap(({ text, type }) => (type === "text" && text ? [text] : [])).join("\n"),
    ...(content.length === 0 ? {} : { content })
  }
}

/** Sends messages to an agent, with a client whose key may trigger runs. */
export const sendToAgent =
  (client: Pick<AgentPlatformClient, "runs" | "sessions">, agentId: string): SendToChat =>
  ({ session_id, ...said }) =>
    session_id === null
      ? client.runs.triggerRun({ body: { ...said, agent_id: agentId } })
      : client.sessions.replyToSession({ params: { session_id }, body: said })
