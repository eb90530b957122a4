/** Makes room in a conversation: results of tools leave first, then whole turns. */
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type { Conversation, PastTurn } from "./Conversation.ts"
import { type ShownContent, withoutContent } from "./content.ts"

/** A conversation of more characters of JSON is shortened before its model is asked, to this many if it can be. */
export const CONVERSATION_LENGTH_MAX = 512 * 1024
export const CONVERSATION_LENGTH_LEFT = 256 * 1024

/**
 * More earlier turns than this are shortened to that many. To far less than the limit, since each time it is done a provider loses its
 * cache of the beginning.
 */
export const TURNS_MAX = 200
export const TURNS_LEFT = 100

const lengthOf = (value: unknown): number => JSON.stringify(value).length

/** Stands in the place of a result, with how many characters it had. */
const markerOf = (length: number): string => `[left out to make room: ${length} characters]`

/** How many characters still have to leave; it counts down. */
interface Excess {
  left: number
}

/** A message with markers in the place of its tool results, as long as there is an excess. */
const lightened = (message: LanguageModelV4Message, excess: Excess): LanguageModelV4Message => {
  if (message.role !== "tool" || excess.left <= 0) return message
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type !== "tool-result" || excess.left <= 0) return part
      const length = lengthOf(part.output)
      const output = { type: "text" as const, value: markerOf(length) }
      const gain = length - lengthOf(output)
      if (gain <= 0) return part
      excess.left -= gain
      return { ...part, output }
    })
  }
}

const lightenedTurn = (turn: PastTurn, excess: Excess): PastTurn =>
  excess.left <= 0 ? turn : { ...turn, messages: turn.messages.map((message) => lightened(message, excess)) }

/** The conversation with `wanted` characters less, as far as that can be, and without its first `leavingTurns`. */
const withLess = (conversation: Conversation, wanted: number, leavingTurns: number): Conversation => {
  const { messages, past } = conversation
  const excess: Excess = { left: wanted }
  const turns = past.map((turn) => lightenedTurn(turn, excess))
  const last = messages.findLastIndex(({ role }) => role === "assistant")
  const own = messages.map((message, place) => (place < last ? lightened(message, excess) : message))
  // The oldest turns leave as a whole while tool results alone have not been enough.
  let leaving = leavingTurns
  for (const [place, turn] of turns.entries()) {
    if (place >= leaving && excess.left <= 0) break
    excess.left -= lengthOf(turn)
    leaving = Math.max(leaving, place + 1)
  }
  if (leaving === 0 && excess.left === wanted) return conversation
  return {
    ...conversation,
    past: turns.slice(leaving),
    messages: own,
    leftOutUpTo: turns[leaving - 1]?.runIds.at(-1) ?? conversation.leftOutUpTo
  }
}

/**
 * The conversation, short enough for its model. One that is too long loses results of tools, oldest first, of which a marker
 * stays, but none of its last answer; then its oldest turns as a whole. What cannot leave stays, however long it is.
 */
export const shortened = (conversation: Conversation): Conversation => {
  const { messages, past } = conversation
  const length = lengthOf([past, messages])
  const isLong = length > CONVERSATION_LENGTH_MAX
  if (!isLong && past.length <= TURNS_MAX) return conversation
  const leaving = past.length > TURNS_MAX ? past.length - TURNS_LEFT : 0
  return withLess(conversation, isLong ? length - CONVERSATION_LENGTH_LEFT : 0, leaving)
}

/**
 * The conversation for a model that takes less than that, as its provider says: without what was sent beside earlier messages, and
 * shortened to half in the same manner. Undefined where nothing can leave.
 */
export const halved = (conversation: Conversation, contents: ShownContent): Conversation | undefined => {
  const { messages, past } = conversation
  const plain = { ...conversation, past: past.map((turn) => withoutContent(turn, contents)) }
  const half = withLess(plain, Math.ceil(lengthOf([past, messages]) / 2), 0)
  const isShorter = half !== plain || plain.past.some((turn, place) => turn !== past[place])
  return isShorter ? { ...half, isReduced: true } : undefined
}
