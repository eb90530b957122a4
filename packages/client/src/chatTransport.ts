/** Connects `useChat` of the AI SDK with an agent: each message of the person makes a run of one session, whose log becomes the answer. */
import {
  type ChatMessage,
  type ChatRun,
  type ChatSaid,
  partsOf,
  replyIn,
  type SendToChat,
  sendToAgent
} from "./chat.ts"
import type { AgentPlatformClient } from "./createClient.ts"
import type { Run } from "./generated/schemas.ts"
import type { MessageChunk } from "./messageChunks.ts"

/** Most runs of a session that its earlier messages are read from. */
const RUNS_MAX = 50

/** The parts of a client that a chat uses. */
export type ChatClient = Pick<AgentPlatformClient, "runs" | "sessions" | "items" | "followRunMessage">

/** Whom to chat with. */
export interface ChatOptions {
  /** Reads the session's runs and their logs: in a page with a browser key of the session. */
  readonly client: ChatClient
  /** The agent, if the client's key may trigger runs. Without it, `send` sends the messages. */
  readonly agentId?: string
  readonly send?: SendToChat
  /** The session that the chat goes on with; without one, the first message begins one. */
  readonly sessionId?: string | null | undefined
  /** Called with the session once the first message has begun it. A page keeps the id for a reload. */
  readonly onSession?: (sessionId: string) => void
}

/** A request of `useChat`. */
interface Asked {
  readonly messages: ReadonlyArray<ChatMessage>
  readonly abortSignal?: AbortSignal | undefined
  readonly body?: object | undefined
}

type Chunks = ReadableStream<MessageChunk>

/** A `ChatTransport` of the AI SDK. */
export interface AgentChatTransport {
  /** Tells the AI SDK that `reconnectToStream` returns the message from its beginning. */
  readonly resumeStreamIsReplay: true
  readonly sendMessages: (asked: Asked) => Promise<Chunks>
  /** The message that is under way, from its beginning; null where there is none. */
  readonly reconnectToStream: (asked: Pick<Asked, "abortSignal">) => Promise<Chunks | null>
  /**
   * The earlier messages of the session, oldest first, to begin with after a reload: those of its last 50 runs. `read` is
   * `readUIMessageStream` of the AI SDK. One that is under way is left to `resume`.
   */
  readonly loadMessages: <Message>(
    read: (from: { readonly stream: Chunks }) => AsyncIterable<Message>
  ) => Promise<Array<Message>>
}

/** Whether a run goes on with the message of the run before: it has no words of the person between them. */
const goesOn = (run: Run): boolean => run.resumes_run_id !== null && !run.prompt

/** Groups runs, which come newest first, by the message of the agent that they make together. Oldest first. */
const byMessage = (runs: ReadonlyArray<Run>): ReadonlyArray<ReadonlyArray<Run>> => {
  const messages: Array<Array<Run>> = []
  for (const run of runs.toReversed()) {
    const earlier = goesOn(run) ? messages.find((one) => one.at(-1)?.run_id === run.resumes_run_id) : undefined
    if (earlier === undefined) messages.push([run])
    else earlier.push(run)
  }
  return messages
}

const isOver = ({ status }: Run): boolean => status !== "queued" && status !== "running"

const userMessage = ({ prompt, run_id }: Run) => ({
  id: `${run_id}/prompt`,
  role: "user",
  parts: [{ type: "text", text: prompt }]
})

const streamOf = (chunks: (signal: AbortSignal) => AsyncIterator<MessageChunk>, given?: AbortSignal): Chunks => {
  const cancelled = new AbortController()
  const iterator = chunks(given === undefined ? cancelled.signal : AbortSignal.any([given, cancelled.signal]))
  return new ReadableStream<MessageChunk>({
    pull: async (controller) => {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => cancelled.abort()
  })
}

/**
 * The chunks of several runs as those of one message with this id. `known` are the ids of the calls that the message has already. A run
 * that has only a part of such a call's input does not replace the input in the message.
 */
async function* chunksOf(
  { client }: ChatOptions,
  runIds: ReadonlyArray<string>,
  id: string,
  known: Set<unknown>,
  signal: AbortSignal
) {
  for (const [index, runId] of runIds.entries()) {
    for await (const chunk of client.followRunMessage(runId, { signal })) {
      if (chunk.type === "finish" && index < runIds.length - 1) continue
      if (chunk.type === "tool-input-available") {
        if (chunk.toolMetadata.is_partial && known.has(chunk.toolCallId)) continue
        known.add(chunk.toolCallId)
      }
      yield chunk.type === "start" ? { ...chunk, messageId: id } : chunk
    }
  }
}

/** A transport for `useChat`. */
export const createChatTransport = (options: ChatOptions): AgentChatTransport => {
  const { client } = options
  const send = options.send ?? sendToAgent(client, options.agentId ?? "")
  let sessionId = options.sessionId ?? undefined
  /** The runs whose messages `loadMessages` has returned whole. */
  const loaded = new Set<string>()

  /** The runs of each of the session's latest messages. */
  const latestMessages = async () => {
    const runs: Array<Run> = []
    if (sessionId === undefined) return []
    for await (const run of client.items.runs.listRuns({ query: { session_id: sessionId, limit: RUNS_MAX } })) {
      runs.push(run)
      if (runs.length === RUNS_MAX) break
    }
    return byMessage(runs)
  }

  const streamMessage = (runs: ReadonlyArray<ChatRun>, id: string, known: Iterable<unknown>, signal?: AbortSignal) => {
    const ids = runs.map(({ run_id }) => run_id)
    return streamOf((ended) => chunksOf(options, ids, id, new Set(known), ended), signal)
  }

  return {
    resumeStreamIsReplay: true,

    sendMessages: async ({ abortSignal, body, messages }) => {
      const said: ChatSaid = { ...replyIn(messages), ...body, session_id: sessionId ?? null }
      const run = await send(said)
      if (sessionId === undefined) {
        sessionId = run.session_id
        options.onSession?.(sessionId)
      }
      const last = messages.at(-1)
      if (last?.role !== "assistant") return streamMessage([run], run.run_id, [], abortSignal)
      // The reply is in a message of the agent, such as a decision about a call: the new run goes on with that message.
      const known = partsOf(last).flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId]))
      return streamMessage([run], last.id, known, abortSignal)
    },

    reconnectToStream: async ({ abortSignal }) => {
      const runs = (await latestMessages()).at(-1)
      const last = runs?.at(-1)
      if (runs === undefined || last === undefined || loaded.has(last.run_id)) return null
      return streamMessage(runs, runs[0]?.run_id ?? last.run_id, [], abortSignal)
    },

    loadMessages: async <Message>(read: (from: { readonly stream: Chunks }) => AsyncIterable<Message>) => {
      const messages: Array<Message> = []
      for (const runs of await latestMessages()) {
        const [first] = runs
        if (first === undefined) continue
        if (first.prompt) messages.push(userMessage(first) as Message)
        if (!runs.every(isOver)) continue
        let message: Message | undefined
        for await (const next of read({ stream: streamMessage(runs, first.run_id, []) })) message = next
        if (message !== undefined) messages.push(message)
        for (const { run_id } of runs) loaded.add(run_id)
      }
      return messages
    }
  }
}
