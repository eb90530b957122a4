import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import type { SessionFilters } from "../../api/sessions.ts"
import { frameRoute } from "../../frame/routes.tsx"
import { oneOf, text } from "../../frame/search.ts"
import { SESSION_STATES } from "./filters.ts"

/** The sessions of the workspace; the filters are the address. */
export const sessionsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "sessions",
  validateSearch: (search): SessionFilters => ({
    status: oneOf(SESSION_STATES, search["status"]),
    agent_id: text(search["agent_id"]),
    q: text(search["q"])
  }),
  component: lazyRouteComponent(() => import("./Sessions.tsx"), "Sessions")
})
