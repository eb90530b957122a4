/** The domain's refusals, in words for those who call the door. */
import type { InterruptSchemaMismatch, QueueFull, RecipeUnknown, RunNotPaused } from "@agent-platform/runs"
import { EmbedError } from "../internal/EmbedError.ts"
import type { Translate } from "../internal/runtime.ts"

/** The codes of `EmbedError` that this door has. */
export type RunsErrorCode =
  | "answer_invalid"
  | "client_without_database"
  | "client_without_transaction"
  | "closed"
  | "database_failed"
  | "database_invalid"
  | "input_invalid"
  | "not_migrated"
  | "option_invalid"
  | "question_answered"
  | "question_cancelled"
  | "queue_full"
  | "recipe_unknown"
  | "run_not_found"
  | "run_not_waiting"
  | "schema_ahead"
  | "schema_invalid"
  | "schema_taken"
  | "session_busy"
  | "session_not_found"
  | "tenant_invalid"

type Known =
  | QueueFull
  | RecipeUnknown
  | RunNotPaused
  | InterruptSchemaMismatch
  | { readonly _tag: "RunNotFound" }
  | { readonly _tag: "SessionNotFound" }
  | { readonly _tag: "SessionBusy" }
  | { readonly _tag: "InterruptAlreadyAnswered" }
  | { readonly _tag: "InterruptCancelled" }

/** As `EmbedError`. */
export const translate: Translate = (given) => {
  const error = given as Known
  const refuse = (code: RunsErrorCode, message: string, details = {}) => new EmbedError(code, message, details, given)
  switch (error._tag) {
    case "RunNotFound":
      return refuse("run_not_found", "The tenant has no run of this id")
    case "SessionNotFound":
      return refuse("session_not_found", "The tenant has no session of this id")
    case "SessionBusy":
      return refuse("session_busy", "The session has a run that has not ended, and ifBusy is reject")
    case "QueueFull":
      return refuse("queue_full", `A tenant has ${error.limit} queued runs at most: wait until some were executed`, {
        limit: error.limit
      })
    case "RecipeUnknown":
      return refuse("recipe_unknown", `There is no recipe ${JSON.stringify(error.recipe)}`, { recipe: error.recipe })
    case "RunNotPaused":
      return refuse(
        "run_not_waiting",
        error.isFinished ? "The run has ended without a question" : "The run has asked nothing yet"
      )
    case "InterruptAlreadyAnswered":
      return refuse("question_answered", "Somebody else has answered the run's question")
    case "InterruptCancelled":
      return refuse("question_cancelled", "The run was cancelled while it waited for an answer")
    case "InterruptSchemaMismatch":
      return refuse("answer_invalid", `data is not what the question asks for: ${error.detail}`, {
        detail: error.detail
      })
    default:
      return undefined
  }
}
