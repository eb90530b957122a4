/** Connects `useChat` of the AI SDK with an agent: what is said becomes runs of one session, whose logs become messages. */
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
  /** The agent, where the client's key may trigger runs; else what sends what is said. */
  readonly agentId?: string
  readonly send?: SendToChat
  /** The session that the chat goes on with; without one, the first message begins one. */
  readonly sessionId?: string | null | undefined
  /** Told of the session once the first message has begun it: to be kept, for a reload. */
  readonly onSession?: (sessionId: string) => void
}

interface Asked {
  readonly messages: ReadonlyArray<ChatMessage>
  readonly abortSignal?: AbortSignal | undefined
  readonly body?: object | undefined
}

type Chunks = ReadableStream<MessageChunk>

/** A `ChatTransport` of the AI SDK. */
export interface AgentChatTransport {
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

/** Whether it goes on with the message of the run before, since nothing was said between them. */
const goesOn = (run: Run): boolean => run.resumes_run_id !== null && !run.prompt

/** The runs, newest first, by messages, oldest first: each has the runs that go on with it. */
const turnsOf = (runs: ReadonlyArray<Run>): ReadonlyArray<ReadonlyArray<Run>> => {
  const turns: Array<Array<Run>> = []
  for (const run of runs.toReversed()) {
    const before = goesOn(run) ? turns.find((turn) => turn.at(-1)?.run_id === run.resumes_run_id) : undefined
    if (before === undefined) turns.push([run])
    else before.push(run)
  }
  return turns
}

const isOver = ({ status }: Run): boolean => status !== "queued" && status !== "running"

const userMessage = ({ prompt, run_id }: Run) => ({
  id: `${run_id}/prompt`,
  role: "user",
  parts: [{ type: "text", text: prompt }]
})

const streamOf = (chunks: (signal: AbortSignal) => AsyncIterator<MessageChunk>, given?: AbortSignal): Chunks => {
  const left = new AbortController()
  const iterator = chunks(given === undefined ? left.signal : AbortSignal.any([given, left.signal]))
  return new ReadableStream<MessageChunk>({
    pull: async (controller) => {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => left.abort()
  })
}

/**
 * The chunks of runs as those of one message, which has this id. `known` are the calls that it has already: where a run knows a
 * part of their input alone, the input that it has stays.
 */
async function* messageOf(
  { client }: ChatOptions,
  runIds: ReadonlyArray<string>,
  id: string,
  known: Set<unknown>,
  signal: AbortSignal
) {
  for (const [place, runId] of runIds.entries()) {
    for await (const chunk of client.followRunMessage(runId, { signal })) {
      if (chunk.type === "finish" && place < runIds.length - 1) continue
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
  /** Runs whose message is known to be whole in the chat. */
  const whole = new Set<string>()

  const latestTurns = async () => {
    const runs: Array<Run> = []
    if (sessionId === undefined) return []
    for await (const run of client.items.runs.listRuns({ query: { session_id: sessionId, limit: RUNS_MAX } })) {
      runs.push(run)
      if (runs.length === RUNS_MAX) break
    }
    return turnsOf(runs)
  }

  const streamOfTurn = (turn: ReadonlyArray<ChatRun>, id: string, known: Iterable<unknown>, signal?: AbortSignal) => {
    const ids = turn.map(({ run_id }) => run_id)
    return streamOf((ended) => messageOf(options, ids, id, new Set(known), ended), signal)
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
      if (last?.role !== "assistant") return streamOfTurn([run], run.run_id, [], abortSignal)
      const known = partsOf(last).flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId]))
      return streamOfTurn([run], last.id, known, abortSignal)
    },

    reconnectToStream: async ({ abortSignal }) => {
      const turn = (await latestTurns()).at(-1)
      const last = turn?.at(-1)
      if (turn === undefined || last === undefined || whole.has(last.run_id)) return null
      return streamOfTurn(turn, turn[0]?.run_id ?? last.run_id, [], abortSignal)
    },

    loadMessages: async <Message>(read: (from: { readonly stream: Chunks }) => AsyncIterable<Message>) => {
      const messages: Array<Message> = []
      for (const turn of await latestTurns()) {
        const [first] = turn
        if (first === undefined) continue
        if (first.prompt) messages.push(userMessage(first) as Message)
        if (!turn.every(isOver)) continue
        let message: Message | undefined
        for await (const next of read({ stream: streamOfTurn(turn, first.run_id, []) })) message = next
        if (message !== undefined) messages.push(message)
        for (const { run_id } of turn) whole.add(run_id)
      }
      return messages
    }
  }
}
