/** Lists of sessions: which ones, and what is shown of each. Spec: Runs and sessions. */
import { type Page, toPage } from "@agent-platform/kernel"
import { type DateTime, Schema } from "effect"
import type { Run } from "./Run.ts"
import { openingOf, type RunFilter, type RunPosition, writePosition } from "./RunList.ts"

/** `running` while a run executes, else `queued` while one waits, else `paused` while a question is open, else `idle`. */
export const SessionStatus = Schema.Literals(["idle", "queued", "running", "paused"])
export type SessionStatus = typeof SessionStatus.Type

/** Most sessions that one page of a searched list looks at, so that its cost does not grow with the sessions there are. */
export const SESSIONS_LOOKED_AT_MAX = 1_000

/** The filters that the first run of a session decides; an undefined one lets all sessions through. */
export interface BeginningFilter extends Pick<RunFilter, "agentId" | "since" | "until"> {}

/** Selects sessions of a workspace; an undefined filter lets all through. Filters combine. */
export interface SessionFilter extends BeginningFilter {
  readonly status?: SessionStatus | undefined
  /** A part of the beginning of its first message, in any case, or the beginning of its id or of its first run's. */
  readonly search?: string | undefined
}

/** The beginning of a session: its first run, with the opening of the message in it. */
export interface SessionBeginning extends Pick<Run, "sessionId" | "workspaceId" | "agentId" | "createdAt"> {
  readonly runId: Run["id"]
  readonly firstMessage: string | null
}

/** The state of a session now. A session without runs has neither a latest run nor a question. */
export interface SessionStanding {
  readonly unfinished: { readonly queued: number; readonly running: number }
  readonly latest: Pick<Run, "id" | "status" | "paused"> | undefined
  /** The latest open question, with the opening of its message. */
  readonly question: (Pick<Run, "id" | "message"> & { readonly askedAt: DateTime.Utc }) | undefined
}

/** The beginning of the session whose first run this is. */
export const beginningOf = ({ agentId, createdAt, id, prompt, sessionId, workspaceId }: Run): SessionBeginning => ({
  runId: id,
  sessionId,
  workspaceId,
  agentId,
  createdAt,
  firstMessage: openingOf(prompt)
})

/** When the question of a paused run was asked. */
export const askedAt = (run: Pick<Run, "createdAt" | "finishedAt">): DateTime.Utc => run.finishedAt ?? run.createdAt

/** The status that follows from a session's state. */
export const sessionStatusOf = (standing: {
  readonly unfinished: SessionStanding["unfinished"]
  readonly question: unknown
}): SessionStatus => {
  if (standing.unfinished.running > 0) return "running"
  if (standing.unfinished.queued > 0) return "queued"
  return standing.question === undefined ? "idle" : "paused"
}

/** The place of a session in the list: newest first, by the time it began and then by the id of its first run. */
export const placeOf = ({ createdAt, runId }: SessionBeginning): RunPosition => ({ createdAt, id: runId })

/** Cuts a page out of `limit + 1` beginnings: a store reads one more to know whether others follow. */
export const toBeginningPage = (found: ReadonlyArray<SessionBeginning>, limit: number): Page<SessionBeginning> =>
  toPage(found, limit, (beginning) => writePosition(placeOf(beginning)))
