/** The words of a message: blocks of text and reasoning, of which one of each kind is open at most. */
import type { MessageChunk } from "@agent-platform/contract"
import type { RunEvent } from "@agent-platform/runs"
import type { Schema } from "effect"
import { textOf } from "./loggedCalls.ts"

/** How much of the end of a text is compared, to know it again. */
const TAIL_LENGTH = 64

type Kind = "text" | "reasoning"

/** A text by its length and its end: a whole one could be as large as a log. */
interface Outline {
  readonly length: number
  readonly tail: string
}

const NOTHING: Outline = { length: 0, tail: "" }

const extended = ({ length, tail }: Outline, text: string): Outline => ({
  length: length + text.length,
  tail: (tail + text.slice(-TAIL_LENGTH)).slice(-TAIL_LENGTH)
})

/** Words that have begun and not ended. */
interface OpenWords {
  readonly id: string
  readonly requestId: Schema.Json | undefined
  said: Outline
}

/** Makes what adds words to a message by `add`. Every block that is begun ends with the next one of its kind at the latest. */
export const makeMessageWords = (add: (chunk: MessageChunk) => void) => {
  const words: Record<Kind, OpenWords | undefined> = { text: undefined, reasoning: undefined }
  /** The last words that ended. */
  let said = NOTHING
  /** Words of a message that goes on behind a call of a tool: where it is completed they are not said again. */
  let before: OpenWords | undefined

  const endWords = (kind: Kind, isBrokenOff: boolean) => {
    const ending = words[kind]
    if (ending === undefined) return
    words[kind] = undefined
    if (kind === "text" && !isBrokenOff) said = ending.said
    const { id } = ending
    add({
      type: `${kind}-end`,
      id,
      ...(isBrokenOff ? { providerMetadata: { "agent-platform": { broken_off: true as const } } } : {})
    })
  }

  const endAllWords = (isBrokenOff: boolean) => {
    before = undefined
    endWords("reasoning", isBrokenOff)
    endWords("text", isBrokenOff)
  }

  /** Words of another answer of the model broke off where it has not completed them. */
  const endOthers = (requestId: Schema.Json | undefined) => {
    const isOther = (one: OpenWords | undefined) => one !== undefined && one.requestId !== requestId
    if (isOther(words.text) || isOther(words.reasoning)) endAllWords(true)
  }

  const say = (kind: Kind, id: string, text: string, requestId?: Schema.Json) => {
    endOthers(requestId)
    if (words[kind] === undefined) {
      words[kind] = { id, requestId, said: NOTHING }
      add({ type: `${kind}-start`, id })
    }
    const going = words[kind]
    if (going === undefined || text === "") return
    going.said = extended(going.said, text)
    add({ type: `${kind}-delta`, id: going.id, delta: text })
  }

  /** A block of words that comes as a whole. */
  const sayAll = (id: string, text: string) => {
    endAllWords(false)
    if (text === "") return
    say("text", id, text)
    endWords("text", false)
  }

  const complete = (kind: Kind, id: string, data: RunEvent["data"]) => {
    const requestId = data["request_id"]
    endOthers(requestId)
    // Words that came piece by piece are not said again.
    const isSaid =
      words[kind] !== undefined || (kind === "text" && before?.requestId === requestId && before !== undefined)
    if (!isSaid) say(kind, id, textOf(data["text"]), requestId)
    endWords(kind, false)
    if (kind === "reasoning") return
    before = undefined
    if (data["truncated"] !== true) said = extended(NOTHING, textOf(data["text"]))
  }

  return {
    say,
    complete,
    endAll: endAllWords,

    /** Ends the text before a call; a message may go on behind it. */
    interrupt: () => {
      before = words.text ?? before
      endWords("text", false)
    },

    /** Says a whole text, unless it is what was said last. */
    sayUnlessSaid: (id: string, text: string) => {
      const { length, tail } = extended(NOTHING, text)
      if (length !== said.length || tail !== said.tail) sayAll(id, text)
    }
  }
}
