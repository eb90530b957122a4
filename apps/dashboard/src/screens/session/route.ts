import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { frameRoute } from "../../frame/routes.tsx"

/** One session, by its id. */
export const sessionRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "sessions/$sessionId",
  component: lazyRouteComponent(() => import("./SessionScreen.tsx"), "SessionScreen")
})
