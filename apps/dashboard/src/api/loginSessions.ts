/** Reads and ends the logins of the person who is signed in. */
import { infiniteQueryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** One's logins that last, newest first. */
export const loginSessionsQuery = ({ client }: Session) =>
  infiniteQueryOptions({
    queryKey: ["loginSessions"],
    queryFn: ({ pageParam, signal }) =>
      client.loginSessions.listLoginSessions({ query: { limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** Ends a login: its browser is signed out with its next request. */
export const endLoginSession = ({ client }: Session, sessionId: string) =>
  client.loginSessions.revokeSession({ params: { session_id: sessionId } })
