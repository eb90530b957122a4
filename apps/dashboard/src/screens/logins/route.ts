import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { frameRoute } from "../../frame/routes.tsx"

/** The logins of the person who is signed in. */
export const loginsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "logins",
  component: lazyRouteComponent(() => import("./Logins.tsx"), "Logins")
})
