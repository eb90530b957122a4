/** A conversation that goes on from several places at once, saved with every step. */
import type { Turn } from "@agent-platform/runs"
import { Effect, Semaphore } from "effect"
import { agentFailed, type ChatFailed } from "./ChatFailed.ts"
import { type Conversation, isSmallEnough, writeConversation } from "./Conversation.ts"
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

/** The progress of a turn that begins with this conversation. */
export const makeProgress = ({ checkpoint }: Turn, from: Conversation): Progress => {
  let current = from
  let saved: Conversation | undefined
  // One save after the other: an older state must not be written over a newer one.
  const permit = Semaphore.makeUnsafe(1)
  const save = Effect.suspend(() => {
    const state = current
    if (state === saved) return Effect.void
    const write = isWorthKeeping(state) ? checkpoint.keep : checkpoint.save
    return Effect.map(write(writeConversation(state)), () => {
      saved = state
    })
  })
  return {
    current: () => current,
    change: (change) =>
      Effect.suspend(() => {
        current = change(current)
        return isSmallEnough(current)
          ? permit.withPermit(save)
          : Effect.fail(agentFailed("The conversation has become longer than 4 MiB"))
      })
  }
}
