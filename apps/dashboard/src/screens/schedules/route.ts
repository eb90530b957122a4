import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { frameRoute } from "../../frame/routes.tsx"

/** The schedules of the workspace. */
export const schedulesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "schedules",
  component: lazyRouteComponent(() => import("./Schedules.tsx"), "Schedules")
})
