/** The words of a message: blocks of text and reasoning, of which one of each kind is open at most. */
import type { MessageChunk } from "@agent-platform/contract"
import type { RunEvent } from "@agent-platform/runs"
import type { Schema } from "effect"
import { textOf } from "./loggedCalls.ts"

/** How many characters of the end of a text are compared, to recognise the text. */
const TAIL_LENGTH = 64

type Kind = "text" | "reasoning"

/** A text by its length and its end, since a whole text could be as large as a log. */
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

/** Makes the functions that add words to a message by `add`. A block ends at the latest when the next one of its kind begins. */
export const makeMessageWords = (add: (chunk: MessageChunk) => void) => {
  const open: Record<Kind, OpenWords | undefined> = { text: undefined, reasoning: undefined }
  /** The last text that ended whole. */
  let lastSaid = NOTHING
  /** A text that a tool call has interrupted. The event that completes its answer has the whole text, which is not said again. */
  let interrupted: OpenWords | undefined

  const endWords = (kind: Kind, isBrokenOff: boolean) => {
    const ending = open[kind]
    if (ending === undefined) return
    open[kind] = undefined
    if (kind === "text" && !isBrokenOff) lastSaid = ending.said
    const { id } = ending
    add({
      type: `${kind}-end`,
      id,
      ...(isBrokenOff ? { providerMetadata: { "agent-platform": { broken_off: true as const } } } : {})
    })
  }

  const endAllWords = (isBrokenOff: boolean) => {
    interrupted = undefined
    endWords("reasoning", isBrokenOff)
    endWords("text", isBrokenOff)
  }

  /** Ends the words of another answer of the model, which broke off if they are still open. */
  const endOthers = (requestId: Schema.Json | undefined) => {
    const isOther = (one: OpenWords | undefined) => one !== undefined && one.requestId !== requestId
    if (isOther(open.text) || isOther(open.reasoning)) endAllWords(true)
  }

  const say = (kind: Kind, id: string, text: string, requestId?: Schema.Json) => {
    endOthers(requestId)
    if (open[kind] === undefined) {
      open[kind] = { id, requestId, said: NOTHING }
      add({ type: `${kind}-start`, id })
    }
    const block = open[kind]
    if (block === undefined || text === "") return
    block.said = extended(block.said, text)
    add({ type: `${kind}-delta`, id: block.id, delta: text })
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
      open[kind] !== undefined || (kind === "text" && interrupted !== undefined && interrupted.requestId === requestId)
    if (!isSaid) say(kind, id, textOf(data["text"]), requestId)
    endWords(kind, false)
    if (kind === "reasoning") return
    interrupted = undefined
    if (data["truncated"] !== true) lastSaid = extended(NOTHING, textOf(data["text"]))
  }

  return {
    say,
    complete,
    endAll: endAllWords,

    /** Ends the open text before a tool call. The same answer may go on with another block behind the call. */
    interrupt: () => {
      interrupted = open.text ?? interrupted
      endWords("text", false)
    },

    /** Says a whole text, unless it is what was said last. */
    sayUnlessSaid: (id: string, text: string) => {
      const { length, tail } = extended(NOTHING, text)
      if (length !== lastSaid.length || tail !== lastSaid.tail) sayAll(id, text)
    }
  }
}
