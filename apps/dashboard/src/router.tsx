import type { QueryClient } from "@tanstack/react-query"
import { createRouter } from "@tanstack/react-router"
import { elsewhereRoute, frameRoute, rootRoute, startRoute } from "./frame/routes.tsx"
import { activityRoute } from "./screens/activity/route.ts"
import { agentRoute, agentsRoute } from "./screens/agents/routes.ts"
import { keysRoute, orgKeysRoute, providerKeysRoute, toolSecretsRoute } from "./screens/keys/routes.ts"
import { loginsRoute } from "./screens/logins/route.ts"
import { membersRoute, workspacesRoute } from "./screens/organization/routes.ts"
import { runRoute } from "./screens/run/route.ts"
import { runsRoute } from "./screens/runs/route.ts"
import { schedulesRoute } from "./screens/schedules/route.ts"
import { sessionRoute } from "./screens/session/route.ts"
import { sessionsRoute } from "./screens/sessions/route.ts"
import {
  agentTemplateRoute,
  agentTemplatesRoute,
  providerKeyTemplateRoute,
  providerKeyTemplatesRoute,
  toolSecretTemplateRoute,
  toolSecretTemplatesRoute
} from "./screens/templates/routes.ts"
import { organizationUsageRoute, usageRoute } from "./screens/usage/routes.ts"
import { endpointRoute, webhooksRoute } from "./screens/webhooks/routes.ts"

const routeTree = rootRoute.addChildren([
  frameRoute.addChildren([
    startRoute,
    elsewhereRoute,
    runsRoute,
    runRoute,
    sessionsRoute,
    sessionRoute,
    usageRoute,
    organizationUsageRoute,
    activityRoute,
    keysRoute,
    providerKeysRoute,
    orgKeysRoute,
    webhooksRoute,
    endpointRoute,
    agentsRoute,
    agentRoute,
    schedulesRoute,
    membersRoute,
    workspacesRoute,
    loginsRoute,
    toolSecretsRoute,
    agentTemplatesRoute,
    agentTemplateRoute,
    providerKeyTemplatesRoute,
    providerKeyTemplateRoute,
    toolSecretTemplatesRoute,
    toolSecretTemplateRoute
  ])
])

/** The addresses of the page. A screen that is added has its route here. */
export const makeRouter = (queries: QueryClient) =>
  createRouter({ routeTree, context: { queries }, defaultPreload: "intent", scrollRestoration: false })

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
