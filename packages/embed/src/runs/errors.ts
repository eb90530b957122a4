/** The domain's refusals, in words for those who call the entry point. */
import type { InterruptSchemaMismatch, QueueFull, RecipeUnknown, RunNotPaused } from "@agent-platform/runs"
import { type ClientErrorCode, type CommonErrorCode, makeTranslate } from "../internal/EmbedError.ts"

/** The codes of `EmbedError` that this entry point has. */
export type RunsErrorCode =
  | CommonErrorCode
  | ClientErrorCode
  | "answer_invalid"
  | "question_answered"
  | "question_cancelled"
  | "queue_full"
  | "recipe_unknown"
  | "run_not_found"
  | "run_not_waiting"
  | "session_busy"
  | "session_not_found"

export const NO_RUN = ["run_not_found", "The tenant has no run of this id"] as const
export const NO_SESSION = ["session_not_found", "The tenant has no session of this id"] as const

/** Turns the domain's errors into `EmbedError`. */
export const translate = makeTranslate<RunsErrorCode>({
  RunNotFound: () => NO_RUN,
  SessionNotFound: () => NO_SESSION,
  SessionBusy: () => ["session_busy", "The session has a run that has not ended, and ifBusy is reject"],
  QueueFull: ({ limit }: QueueFull) => [
    "queue_full",
    `A tenant has ${limit} queued runs at most: wait until some were executed`,
    { limit }
  ],
  RecipeUnknown: ({ recipe }: RecipeUnknown) => [
    "recipe_unknown",
    `There is no recipe ${JSON.stringify(recipe)}`,
    { recipe }
  ],
  RunNotPaused: ({ isFinished }: RunNotPaused) => [
    "run_not_waiting",
    isFinished ? "The run has ended without a question" : "The run has asked nothing yet"
  ],
  InterruptAlreadyAnswered: () => ["question_answered", "Somebody else has answered the run's question"],
  InterruptCancelled: () => ["question_cancelled", "The run was cancelled while it waited for an answer"],
  InterruptSchemaMismatch: ({ detail }: InterruptSchemaMismatch) => [
    "answer_invalid",
    `data is not what the question asks for: ${detail}`,
    { detail }
  ]
})
