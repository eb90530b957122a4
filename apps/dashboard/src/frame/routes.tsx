/** The routes above every screen: who is not signed in finds the login at every address, and is where they wanted afterwards. */
import { CSPProvider } from "@base-ui/react/csp-provider"
import type { QueryClient } from "@tanstack/react-query"
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router"
import { Login } from "../screens/login/Login.tsx"
import { SessionActionsProvider, SessionProvider, useFoundSession } from "../session/SessionContext.tsx"
import { Empty } from "../ui/Empty.tsx"
import { ProblemNotice } from "../ui/ProblemNotice.tsx"
import { Screen } from "../ui/Screen.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import { Frame } from "./Frame.tsx"

const SignedIn = () => {
  const { data: session, error, isPending, refetch } = useFoundSession()
  if (isPending) return <Skeleton />
  if (error !== null) {
    return (
      <main className="mx-auto max-w-[480px] p-6">
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      </main>
    )
  }
  if (session === null) return <Login />
  return (
    // Another workspace is another page: no state of a screen is carried over.
    <SessionProvider key={session.workspace?.id ?? ""} session={session}>
      <Outlet />
    </SessionProvider>
  )
}

const NotFound = () => (
  <Screen title="Nothing here">
    <Empty sentence="The dashboard has no such page." />
  </Screen>
)

const Failed = ({ error, reset }: { readonly error: unknown; readonly reset: () => void }) => (
  <div className="p-4">
    <ProblemNotice error={error} onRetry={reset} />
  </div>
)

interface RouterContext {
  /** The cache of all that is read: a route may begin to read before its screen is there. */
  readonly queries: QueryClient
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: () => (
    // Base UI would write style elements, which the page's policy does not admit.
    <CSPProvider disableStyleElements>
      <SessionActionsProvider>
        <SignedIn />
      </SessionActionsProvider>
    </CSPProvider>
  ),
  errorComponent: Failed
})

/** The parent of every screen. */
export const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "frame",
  component: Frame,
  errorComponent: Failed,
  notFoundComponent: NotFound
})

/** One lands on the runs. */
export const startRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/runs", replace: true })
  }
})

/** Any other address. */
export const elsewhereRoute = createRoute({ getParentRoute: () => frameRoute, path: "$", component: NotFound })
