import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import type { RunFilters } from "../../api/runs.ts"
import { frameRoute } from "../../frame/routes.tsx"
import { oneOf, text } from "../../frame/search.ts"
import { RUN_FILTERS } from "./filters.ts"

/** The runs of the workspace; the filters are the address. */
export const runsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "runs",
  validateSearch: (search): RunFilters => ({
    status: oneOf(RUN_FILTERS, search["status"]),
    agent_id: text(search["agent_id"]),
    session_id: text(search["session_id"]),
    tag: text(search["tag"])
  }),
  component: lazyRouteComponent(() => import("./Runs.tsx"), "Runs")
})
