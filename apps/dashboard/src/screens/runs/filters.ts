/** The states that runs are filtered by, and how each is said and drawn. */
import type { Run } from "@agent-platform/client"
import type { Tone } from "../../ui/Status.tsx"

export const RUN_FILTERS = ["queued", "running", "paused", "succeeded", "failed", "cancelled"] as const

type RunFilter = (typeof RUN_FILTERS)[number]

/** The API has no filter `answered`: it finds such runs as succeeded. */
export type RunState = RunFilter | "answered"

/** Whether the run ended on a question that nobody has answered yet. */
export const waitsForAnswer = ({ paused, resumed_by_run_id }: Pick<Run, "paused" | "resumed_by_run_id">): boolean =>
  paused && resumed_by_run_id === null

/** A run's state as people see it: one that waits for an answer, or has got it, is told apart from one that is done. */
export const stateOf = (run: Pick<Run, "status" | "paused" | "resumed_by_run_id">): RunState => {
  if (waitsForAnswer(run)) return "paused"
  return run.paused ? "answered" : run.status
}

/** Whether the API finds the run by this value of its filter `status`. */
export const hasStatus = (run: Pick<Run, "status" | "paused" | "resumed_by_run_id">, status: RunFilter): boolean =>
  status === "paused" ? waitsForAnswer(run) : run.status === status

const WORDS: Readonly<Record<RunState, readonly [tone: Tone, word: string]>> = {
  queued: ["idle", "Queued"],
  running: ["busy", "Running"],
  paused: ["warn", "Paused"],
  answered: ["good", "Answered"],
  succeeded: ["good", "Succeeded"],
  failed: ["bad", "Failed"],
  cancelled: ["idle", "Cancelled"]
}

/** How a state is drawn and said. */
export const statusOf = (state: RunState): { readonly tone: Tone; readonly word: string } => {
  const [tone, word] = WORDS[state]
  return { tone, word }
}
