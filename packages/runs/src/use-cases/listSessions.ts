import type { Page, WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { makeSearch, readPosition, writePosition } from "../RunList.ts"
import {
  placeOf,
  SESSIONS_LOOKED_AT_MAX,
  type SessionBeginning,
  type SessionFilter,
  type SessionStanding,
  sessionStatusOf
} from "../SessionList.ts"

/** How many sessions are read at a time while a page is searched for. */
const PORTION = 250

export interface ListSessions {
  readonly caller: WorkspaceCaller
  readonly filter: SessionFilter
  /** `before` is the `next` of the page before. */
  readonly page: { readonly limit: number; readonly before: string | undefined }
}

/** A session as a list shows it. */
export interface ListedSession extends SessionBeginning, SessionStanding {}

/**
 * The workspace's sessions that match the filter, newest first; stable while others begin. With a status or a search a page
 * ends after `SESSIONS_LOOKED_AT_MAX` sessions, however few of them match: its `next` goes on after them.
 */
export const listSessions = useCase("runs.listSessions")(function* ({ caller, filter, page }: ListSessions) {
  const sessions = yield* SessionStore
  const sessionRuns = yield* SessionRuns
  // The store filters by the first run of a session; search and status are looked at here.
  const { search, status, ...beginningFilter } = filter
  const limit = search === undefined && status === undefined ? page.limit : Math.max(PORTION, page.limit)
  const isFound = search === undefined ? undefined : makeSearch(search)
  const items: Array<ListedSession> = []
  let next = page.before
  let lookedAt = 0
  do {
    const before = next === undefined ? undefined : readPosition(next)
    const begun: Page<SessionBeginning> = yield* sessions.beginnings(caller.workspaceId, beginningFilter, {
      limit,
      before
    })
    const found = begun.items.filter(
      ({ firstMessage, runId, sessionId }) => isFound === undefined || isFound(firstMessage, sessionId, runId)
    )
    const standings = yield* sessionRuns.standings(found.map(({ sessionId }) => sessionId))
    for (const beginning of found) {
      const standing = standings.get(beginning.sessionId)
      // A session that was forgotten since its beginning was read has no standing.
      if (standing === undefined || (status !== undefined && sessionStatusOf(standing) !== status)) continue
      const last = items.at(-1)
      if (last !== undefined && items.length === page.limit) return { items, next: writePosition(placeOf(last)) }
      items.push({ ...beginning, ...standing })
    }
    lookedAt += begun.items.length
    next = begun.next
  } while (next !== undefined && items.length < page.limit && lookedAt < SESSIONS_LOOKED_AT_MAX)
  return { items, next }
})
