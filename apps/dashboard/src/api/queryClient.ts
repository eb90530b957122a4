/** How everything that is read is kept, repeated and, where the session is over, given up. */
import { ApiProblem } from "@agent-platform/client"
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { SESSION_KEY } from "../session/SessionContext.tsx"

const isSignedOut = (error: unknown): boolean => error instanceof ApiProblem && error.status === 401

/** The cache of all that is read. */
export const makeQueryClient = (): QueryClient => {
  // A credential that is refused ends the session wherever it is noticed: asked who it is, the page finds nobody.
  const onError = (error: unknown) => {
    if (isSignedOut(error)) void queries.invalidateQueries({ queryKey: SESSION_KEY })
  }
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // The client repeats by itself what is worth it.
    defaultOptions: { queries: { retry: false, staleTime: 15_000, refetchOnWindowFocus: true } }
  })
  return queries
}
