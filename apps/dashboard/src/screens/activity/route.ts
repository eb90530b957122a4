import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { frameRoute } from "../../frame/routes.tsx"
import { oneOf, text } from "../../frame/search.ts"
import { ACTORS, type ActivitySearch, RESOURCES, SPANS } from "./filters.ts"

/** The record of actions; the filters are the address. */
export const activityRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "activity",
  validateSearch: (search): ActivitySearch => ({
    resource: oneOf(RESOURCES, search["resource"]),
    actor: oneOf(ACTORS, search["actor"]),
    span: oneOf(SPANS, search["span"]),
    about: text(search["about"]),
    entry: text(search["entry"])
  }),
  component: lazyRouteComponent(() => import("./Activity.tsx"), "Activity")
})
