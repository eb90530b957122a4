import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { DELIVERY_STATES } from "../../api/webhooks.ts"
import { frameRoute } from "../../frame/routes.tsx"
import { oneOf, text } from "../../frame/search.ts"

/** The endpoints of the organization. */
export const webhooksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "webhooks",
  component: lazyRouteComponent(() => import("./Endpoints.tsx"), "Endpoints")
})

/** One endpoint; the filter of its deliveries and the delivery that is open are the address. */
export const endpointRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "webhooks/$endpointId",
  validateSearch: (
    search
  ): { readonly state?: (typeof DELIVERY_STATES)[number] | undefined; readonly delivery?: string | undefined } => ({
    state: oneOf(DELIVERY_STATES, search["state"]),
    delivery: text(search["delivery"])
  }),
  component: lazyRouteComponent(() => import("./EndpointScreen.tsx"), "EndpointScreen")
})
