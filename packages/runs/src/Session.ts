import { type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, Schema } from "effect"

export const SessionId = Uuid.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** A sequence of runs. They execute one at a time, in the order in which they were triggered. */
export interface Session {
  readonly id: SessionId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly createdAt: DateTime.Utc
}

/** The behaviour when the session has unfinished runs: wait behind them, refuse, or cancel all of them and go next. */
export type IfBusy = "enqueue" | "reject" | "interrupt"

// In the names of these errors, as in the API's codes, an interrupt is a run's question. It is not the `interrupt` of `IfBusy`.

/** The question of this run was answered before. */
export class InterruptAlreadyAnswered extends Schema.TaggedError<InterruptAlreadyAnswered>()(
  "InterruptAlreadyAnswered",
  {}
) {}

/** The question of this run was cancelled together with its session. */
export class InterruptCancelled extends Schema.TaggedError<InterruptCancelled>()("InterruptCancelled", {}) {}

/** The reply's data does not have the form that the question asks for; `detail` says how it differs, `path` where. */
export class InterruptSchemaMismatch extends Schema.TaggedError<InterruptSchemaMismatch>()("InterruptSchemaMismatch", {
  path: Schema.Array(Schema.Union([Schema.String, Schema.Number])),
  detail: Schema.String
}) {}

/** The run that a reply names ended without a question, or has not ended; which of the two, `isFinished` says. */
export class RunNotPaused extends Schema.TaggedError<RunNotPaused>()("RunNotPaused", { isFinished: Schema.Boolean }) {}

/** No such session in the caller's workspace. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {}) {}

/** The session has an unfinished run, and the caller asked not to queue behind it. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", {}) {}
