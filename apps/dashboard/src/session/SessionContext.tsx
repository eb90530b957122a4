import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, use, useMemo } from "react"
import { findSession, type Session, signOut } from "./Session.ts"
import { storedWorkspace } from "./stored.ts"

interface SessionActions {
  /** Looks anew who is signed in, after a login. */
  readonly renew: () => Promise<void>
  /** Ends the session and forgets everything that was read under it. */
  readonly leave: (session: Session) => Promise<void>
  /** Works in another workspace from now on. */
  readonly choose: (workspaceId: string) => Promise<void>
}

const Current = createContext<Session | undefined>(undefined)
const Actions = createContext<SessionActions | undefined>(undefined)

/** The key of the query that holds the session. Everything else is read under a session, so it is cleared with it. */
export const SESSION_KEY = ["session"] as const

/** Asks once who is signed in. */
export const foundSessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: findSession,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false
})

/** Who is signed in, as it was asked. */
export const useFoundSession = () => useQuery(foundSessionQuery)

/** Gives the actions on the session to everything below. */
export const SessionActionsProvider = ({ children }: { readonly children: ReactNode }) => {
  const queries = useQueryClient()
  const actions = useMemo<SessionActions>(() => {
    const renew = async () => {
      const session = await findSession()
      // At once, so that nothing of one workspace or person is ever seen under another.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] })
      queries.setQueryData(SESSION_KEY, session)
    }
    return {
      renew,
      leave: async (session) => {
        await signOut(session)
        await renew()
      },
      choose: async (workspaceId) => {
        storedWorkspace.write(workspaceId)
        await renew()
      }
    }
  }, [queries])
  return <Actions value={actions}>{children}</Actions>
}

/** Gives the session to the screens. */
export const SessionProvider = ({ children, session }: { readonly children: ReactNode; readonly session: Session }) => (
  <Current value={session}>{children}</Current>
)

/** The session; only below the frame, where somebody is signed in. */
export const useSession = (): Session => {
  const session = use(Current)
  if (session === undefined) throw new Error("There is no session here")
  return session
}

/** The actions on the session. */
export const useSessionActions = (): SessionActions => {
  const actions = use(Actions)
  if (actions === undefined) throw new Error("There are no actions here")
  return actions
}
