/** Reads sessions and their messages. */
import type { ListSessionsRequest } from "@agent-platform/client"
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** The filters of the list; each is part of the address. */
export type SessionFilters = Pick<NonNullable<ListSessionsRequest["query"]>, "status" | "agent_id" | "q">

/** The list of sessions, newest first, page after page. With filters a page may hold none while there are older ones. */
export const sessionsQuery = ({ client }: Session, filters: SessionFilters) =>
  infiniteQueryOptions({
    queryKey: ["sessions", "list", filters],
    queryFn: ({ pageParam, signal }) =>
      client.sessions.listSessions({ query: { ...filters, limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** A session as it is now. */
export const sessionQuery = ({ client }: Session, sessionId: string) =>
  queryOptions({
    queryKey: ["sessions", "one", sessionId],
    queryFn: ({ signal }) => client.sessions.getSession({ params: { session_id: sessionId }, signal })
  })

/** The messages of a session, newest first, page after page. */
export const messagesQuery = ({ client }: Session, sessionId: string) =>
  infiniteQueryOptions({
    queryKey: ["sessions", "one", sessionId, "messages"],
    queryFn: ({ pageParam, signal }) =>
      client.sessions.listMessages({
        params: { session_id: sessionId },
        query: { limit: PAGE_SIZE, cursor: pageParam },
        signal
      }),
    ...paging
  })
