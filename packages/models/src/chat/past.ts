/** The turns before a turn: with tools and reasoning where the session kept them in a conversation, else by its messages. */
import type { RunId, SessionMessage } from "@agent-platform/runs"
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { type Conversation, openCalls, type PastTurn, userMessage, withToolResult } from "./Conversation.ts"
import { withMark } from "./content.ts"

const UNANSWERED = { isError: true, value: "There is no result: the turn ended before there was one" } as const

/** A turn whose calls all have a result, which every provider asks for. */
export const withAllResults = <Turn extends PastTurn>(turn: Turn): Turn =>
  openCalls(turn).reduce((before, call) => withToolResult(before, call, UNANSWERED), turn)

/** The messages of each run as a turn, without tools. */
const toldTurns = (said: ReadonlyArray<SessionMessage>): ReadonlyArray<PastTurn> =>
  [...Map.groupBy(said, ({ runId }) => runId)].map(([runId, messages]) => ({
    runIds: [runId],
    messages: messages.map(
      ({ reply, role, text }): LanguageModelV4Message =>
        role === "user"
          ? withMark(userMessage(text, reply), runId)
          : { role: "assistant", content: [{ type: "text", text }] }
    )
  }))

const lastRun = ({ runIds }: PastTurn): string => runIds.at(-1) ?? ""

/** Ids of runs sort by the time at which they were made. */
const inOrder = (one: PastTurn, other: PastTurn): number => (lastRun(one) < lastRun(other) ? -1 : 1)

/**
 * The turns before a turn, oldest first: those of the conversation that the session kept, and of all other runs their
 * messages. Turns that were left out to make room are not among them, nor is the one of the `resumed` runs: it goes on.
 */
export const pastOf = (
  kept: Conversation | undefined,
  said: ReadonlyArray<SessionMessage>,
  resumed: ReadonlyArray<RunId> = []
): ReadonlyArray<PastTurn> => {
  const { leftOutUpTo = null, past = [] } = kept ?? {}
  const keptTurns =
    kept === undefined ? [] : [...past, withAllResults({ runIds: kept.runIds, messages: kept.messages })]
  const covered = new Set<RunId>([...keptTurns.flatMap(({ runIds }) => runIds), ...resumed])
  const ofOtherRuns = said.filter(({ runId }) => !covered.has(runId) && (leftOutUpTo === null || runId > leftOutUpTo))
  const earlierTurns = keptTurns.filter(({ runIds }) => !runIds.some((id) => resumed.includes(id)))
  return [...earlierTurns, ...toldTurns(ofOtherRuns)].sort(inOrder)
}

/** Whether a turn holds more than the session's messages do. */
const saysMore = ({ messages }: PastTurn): boolean =>
  messages.some(
    ({ content, role }) => role !== "user" && typeof content !== "string" && content.some(({ type }) => type !== "text")
  )

/**
 * Whether the session has to keep a conversation, because its messages do not say it all: it has tools or reasoning, or something was left
 * out of it that must not come back, or its provider could not read an address that comes again.
 */
export const isWorthKeeping = (conversation: Conversation): boolean =>
  conversation.isReduced === true ||
  conversation.readsContent === true ||
  saysMore(conversation) ||
  conversation.past.some(saysMore)

/** The words of a turn, without its tools and the model's reasoning. */
const wordsOf = ({ messages, runIds }: PastTurn): PastTurn => ({
  runIds,
  messages: messages.flatMap((message): ReadonlyArray<LanguageModelV4Message> => {
    if (message.role !== "assistant") return message.role === "tool" ? [] : [message]
    const content = message.content.flatMap((part) =>
      part.type === "text" ? [{ type: part.type, text: part.text }] : []
    )
    return content.length === 0 ? [] : [{ role: "assistant", content }]
  })
})

/**
 * All messages of a conversation as its model gets them. Providers want a user first. Some refuse calls of tools in a request
 * that has no tools: there, earlier turns are their words alone.
 */
export const messagesFor = (
  { messages, past }: Conversation,
  hasTools: boolean
): ReadonlyArray<LanguageModelV4Message> => {
  const turns = hasTools ? past : past.map(wordsOf)
  const first = turns.findIndex((turn) => turn.messages[0]?.role === "user")
  return [...(first === -1 ? [] : turns.slice(first).flatMap((turn) => turn.messages)), ...messages]
}

/** A turn with ids of calls in the form that every provider takes. */
const withPlainIds = (turn: PastTurn): PastTurn => {
  const ids = new Map<string, string>()
  const plain = (id: string): string => {
    const known = ids.get(id) ?? `call_${ids.size + 1}_${id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 32)}`
    ids.set(id, known)
    return known
  }
  return {
    ...turn,
    messages: turn.messages.map((message) => {
      if (message.role === "assistant") {
        const content = message.content.map((part) =>
          part.type === "tool-call" ? { ...part, toolCallId: plain(part.toolCallId) } : part
        )
        return { ...message, content }
      }
      if (message.role !== "tool") return message
      const content = message.content.map((part) =>
        part.type === "tool-result" ? { ...part, toolCallId: plain(part.toolCallId) } : part
      )
      return { ...message, content }
    })
  }
}

const withoutReasoning = <Turn extends PastTurn>(turn: Turn): Turn => ({
  ...turn,
  messages: turn.messages.map((message) =>
    message.role === "assistant"
      ? {
          role: "assistant",
          content: message.content.flatMap((part) => {
            if (part.type === "reasoning") return []
            // These are the provider's own state, such as signatures of its reasoning.
            const { providerOptions: _, ...plain } = part
            return [plain as typeof part]
          })
        }
      : message
  )
})

/** The conversation without any reasoning or state of its provider; undefined where it has none. */
export const withoutAnyReasoning = (conversation: Conversation): Conversation | undefined => {
  const { messages, past } = conversation
  const hasSome = [...past.flatMap((turn) => turn.messages), ...messages].some(
    ({ content, role }) =>
      role === "assistant" && content.some((part) => part.type === "reasoning" || part.providerOptions !== undefined)
  )
  return hasSome ? { ...withoutReasoning(conversation), past: past.map(withoutReasoning), isReduced: true } : undefined
}

/** The conversation as a model gets it: without the reasoning and the ids of another, which only that one's provider can read. */
export const forModel = (conversation: Conversation, model: string): Conversation =>
  conversation.model === model
    ? conversation
    : {
        ...withoutReasoning(conversation),
        past: conversation.past.map((turn) => withPlainIds(withoutReasoning(turn))),
        model
      }
