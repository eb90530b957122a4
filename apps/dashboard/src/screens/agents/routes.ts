import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { frameRoute } from "../../frame/routes.tsx"

/** The agents of the workspace. */
export const agentsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "agents",
  component: lazyRouteComponent(() => import("./Agents.tsx"), "Agents")
})

/** One agent, by its id. */
export const agentRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "agents/$agentId",
  component: lazyRouteComponent(() => import("./AgentScreen.tsx"), "AgentScreen")
})
