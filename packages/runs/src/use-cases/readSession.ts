import type { PageRequest, WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { type SessionId, SessionNotFound } from "../Session.ts"

export interface ReadSession {
  readonly caller: WorkspaceCaller
  readonly sessionId: SessionId
}

const find = Effect.fnUntraced(function* ({ caller, sessionId }: ReadSession) {
  const sessions = yield* SessionStore
  const session = yield* sessions.find(caller.workspaceId, sessionId)
  if (session === undefined) return yield* new SessionNotFound()
  return session
})

/** The session, its unfinished runs, its latest run and the latest question that is open. Fails with SessionNotFound. */
export const readSession = useCase("runs.readSession")(function* (query: ReadSession) {
  const sessionRuns = yield* SessionRuns
  const session = yield* find(query)
  const unfinished = yield* sessionRuns.countUnfinished(session.id)
  const latest = yield* sessionRuns.latest(session.id)
  const question = yield* sessionRuns.openQuestion(session.id)
  return { session, unfinished, latest, question }
})

/** The messages of the session, newest first. Fails with SessionNotFound. */
export const readMessages = useCase("runs.readMessages")(function* (
  query: ReadSession & { readonly page: PageRequest }
) {
  const sessions = yield* SessionStore
  const session = yield* find(query)
  return yield* sessions.messages(session.id, query.page)
})
