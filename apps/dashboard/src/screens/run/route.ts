import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { frameRoute } from "../../frame/routes.tsx"

/** One run, by its id. */
export const runRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "runs/$runId",
  component: lazyRouteComponent(() => import("./RunScreen.tsx"), "RunScreen")
})
