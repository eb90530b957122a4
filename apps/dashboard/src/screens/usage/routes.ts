import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import type { Grouping } from "../../api/usage.ts"
import { frameRoute } from "../../frame/routes.tsx"
import { oneOf } from "../../frame/search.ts"
import { monthOf } from "./months.ts"

/** How the address says what is shown. */
export interface UsageSearch {
  readonly month?: string | undefined
  readonly by?: Grouping | undefined
}

const BY = ["model", "provider", "agent_id", "key_source", "workspace_id"] as const

const validateSearch = (search: Readonly<Record<string, unknown>>): UsageSearch => ({
  month: monthOf(search["month"]),
  by: oneOf(BY, search["by"])
})

/** The usage of the workspace. */
export const usageRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "usage",
  validateSearch,
  component: lazyRouteComponent(() => import("./Usage.tsx"), "WorkspaceUsage")
})

/** The usage of all workspaces of the organization. */
export const organizationUsageRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "usage/organization",
  validateSearch,
  component: lazyRouteComponent(() => import("./Usage.tsx"), "OrganizationUsage")
})
