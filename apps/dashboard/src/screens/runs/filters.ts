/** The states that runs are filtered by, and how each is said and drawn. */
import type { Run } from "@agent-platform/client"
import type { Tone } from "../../ui/Status.tsx"

export const RUN_FILTERS = ["queued", "running", "paused", "succeeded", "failed", "cancelled"] as const

export type RunState = (typeof RUN_FILTERS)[number]

/** A run's state as people see it: one that waits for an answer is told apart from one that is done. */
export const stateOf = ({ paused, status }: Pick<Run, "status" | "paused">): RunState => (paused ? "paused" : status)

const WORDS: Readonly<Record<RunState, readonly [tone: Tone, word: string]>> = {
  queued: ["idle", "Queued"],
  running: ["busy", "Running"],
  paused: ["warn", "Paused"],
  succeeded: ["good", "Succeeded"],
  failed: ["bad", "Failed"],
  cancelled: ["idle", "Cancelled"]
}

/** How a state is drawn and said. */
export const statusOf = (state: RunState): { readonly tone: Tone; readonly word: string } => {
  const [tone, word] = WORDS[state]
  return { tone, word }
}
