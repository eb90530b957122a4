import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { frameRoute } from "../../frame/routes.tsx"

/** The members of the organization. */
export const membersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "organization",
  component: lazyRouteComponent(() => import("./Members.tsx"), "Members")
})

/** Its workspaces. */
export const workspacesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "organization/workspaces",
  component: lazyRouteComponent(() => import("./Workspaces.tsx"), "Workspaces")
})
