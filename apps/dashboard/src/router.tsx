import { createRouter } from "@tanstack/react-router"
import { elsewhereRoute, frameRoute, rootRoute, startRoute } from "./frame/routes.tsx"
import { activityRoute } from "./screens/activity/route.ts"
import { runRoute } from "./screens/run/route.ts"
import { runsRoute } from "./screens/runs/route.ts"
import { sessionRoute } from "./screens/session/route.ts"
import { sessionsRoute } from "./screens/sessions/route.ts"
import { usageRoute } from "./screens/usage/route.ts"

const routeTree = rootRoute.addChildren([
  frameRoute.addChildren([
    startRoute,
    elsewhereRoute,
    runsRoute,
    runRoute,
    sessionsRoute,
    sessionRoute,
    usageRoute,
    activityRoute
  ])
])

/** The addresses of the page. A screen that is added has its route here. */
export const makeRouter = () => createRouter({ routeTree, defaultPreload: "intent", scrollRestoration: false })

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
