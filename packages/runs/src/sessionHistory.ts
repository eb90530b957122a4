/** The messages of a session before a run, as far as its agent gets them. */
import { Effect } from "effect"
import { SessionStore } from "./ports/SessionStore.ts"
import type { Run, RunId } from "./Run.ts"
import type { SessionMessage } from "./SessionMessage.ts"

/** Most messages of earlier turns that an agent gets, and most characters of them all; the oldest are left out. */
const MESSAGES_MAX = 200
const LENGTH_MAX = 512 * 1024

const PAGE = 50

/**
 * The messages of earlier turns, oldest first. A run with a prompt gets those before its prompt, a run without one gets those of runs that
 * were made before it. Messages of runs that wait behind it are left out, and so are those of runs up to `leftUpTo`, which the agent
 * does not need any more; null leaves out none. Ids of runs are compared, since they sort by the time of their making.
 */
export const historyOf = Effect.fnUntraced(function* (
  run: Pick<Run, "id" | "prompt" | "sessionId">,
  leftUpTo: RunId | null
) {
  const { id, prompt, sessionId } = run
  const sessions = yield* SessionStore
  const found: Array<SessionMessage> = []
  let before: string | undefined
  let length = 0
  // Newest messages come first, so earlier turns begin behind the run's own prompt. Without a prompt there is none to come past.
  let isPast = prompt === null
  while (found.length < MESSAGES_MAX) {
    const page = yield* sessions.messages(sessionId, { limit: PAGE, before })
    for (const message of page.items) {
      if (leftUpTo !== null && message.runId <= leftUpTo) return found.reverse()
      if (message.runId === id) isPast = true
      if (!isPast || message.runId === id || (prompt === null && message.runId > id)) continue
      length += message.text.length
      if (length > LENGTH_MAX) return found.reverse()
      found.push(message)
    }
    if (page.next === undefined) break
    before = page.next
  }
  return found.reverse()
})
