/** The states that sessions are filtered by, and how each is said and drawn. */
import type { SessionSummary } from "@agent-platform/client"
import type { Tone } from "../../ui/Status.tsx"

export const SESSION_STATES = ["idle", "queued", "running", "paused"] as const

const WORDS: Readonly<Record<SessionSummary["status"], readonly [tone: Tone, word: string]>> = {
  idle: ["idle", "Idle"],
  queued: ["idle", "Queued"],
  running: ["busy", "Running"],
  paused: ["warn", "Paused"]
}

/** How a session's state is drawn and said. */
export const sessionStatusOf = (state: SessionSummary["status"]): { readonly tone: Tone; readonly word: string } => {
  const [tone, word] = WORDS[state]
  return { tone, word }
}
