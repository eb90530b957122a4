import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { frameRoute } from "../../frame/routes.tsx"
import { monthOf } from "./months.ts"

/** The usage of the workspace; the month is the address. */
export const usageRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "usage",
  validateSearch: (search): { readonly month?: string | undefined } => ({ month: monthOf(search["month"]) }),
  component: lazyRouteComponent(() => import("./Usage.tsx"), "Usage")
})
