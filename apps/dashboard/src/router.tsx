import { createRouter } from "@tanstack/react-router"
import { elsewhereRoute, frameRoute, rootRoute, startRoute } from "./frame/routes.tsx"
import { runRoute } from "./screens/run/route.ts"
import { runsRoute } from "./screens/runs/route.ts"

const routeTree = rootRoute.addChildren([frameRoute.addChildren([startRoute, elsewhereRoute, runsRoute, runRoute])])

/** The addresses of the page. A screen that is added has its route here. */
export const makeRouter = () => createRouter({ routeTree, defaultPreload: "intent", scrollRestoration: false })

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
