/** A conversation that goes on from several places at once, saved with every step. */
import type { Turn } from "@agent-platform/runs"
import { Clock, Effect, Semaphore } from "effect"
import { agentFailed, type ChatFailed } from "./ChatFailed.ts"
import { CONVERSATION_BYTES_MAX, type Conversation, conversationBytes, writeConversation } from "./Conversation.ts"
import { isWorthKeeping } from "./past.ts"

/** The conversation of a turn as far as it has come. */
export interface Progress {
  readonly current: () => Conversation
  /**
   * Changes the conversation at once and returns when the change is saved, alone or together with others. Fails when the
   * conversation has become too long.
   */
  readonly change: (change: (conversation: Conversation) => Conversation) => Effect.Effect<void, ChatFailed>
}

/**
 * How many bytes a turn writes in a second at most. A save writes the conversation as a whole, so after a large one the next waits a
 * moment, for other results to be saved with it.
 */
const SAVED_BYTES_PER_SECOND = 4 * 1024 * 1024

/** The progress of a turn that begins with this conversation. */
export const makeProgress = ({ checkpoint }: Turn, from: Conversation): Progress => {
  let current = from
  /** How many changes there were, and how many of them are saved. */
  let changes = 0
  let savedChanges = 0
  let nextSaveMillis = 0
  // One save after the other: an older state must not be written over a newer one.
  const permit = Semaphore.makeUnsafe(1)
  const save = Effect.fnUntraced(function* (upToChange: number) {
    // Saved already, by the save of a later change.
    if (savedChanges >= upToChange) return
    const wait = nextSaveMillis - (yield* Clock.currentTimeMillis)
    if (wait > 0) yield* Effect.sleep(wait)
    const [state, changesInState] = [current, changes]
    const bytes = conversationBytes(state)
    if (bytes > CONVERSATION_BYTES_MAX) return yield* agentFailed("The conversation has become longer than 4 MiB")
    const write = isWorthKeeping(state) ? checkpoint.keep : checkpoint.save
    yield* write(writeConversation(state))
    savedChanges = changesInState
    nextSaveMillis = (yield* Clock.currentTimeMillis) + (bytes * 1_000) / SAVED_BYTES_PER_SECOND
  })
  return {
    current: () => current,
    change: (change) =>
      Effect.suspend(() => {
        current = change(current)
        changes += 1
        return permit.withPermit(save(changes))
      })
  }
}
