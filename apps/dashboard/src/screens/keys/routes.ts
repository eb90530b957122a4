import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { frameRoute } from "../../frame/routes.tsx"

/** The API keys of the workspace. */
export const keysRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "keys",
  component: lazyRouteComponent(() => import("./Keys.tsx"), "WorkspaceKeys")
})

/** The API keys of the organization. */
export const orgKeysRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "keys/organization",
  component: lazyRouteComponent(() => import("./Keys.tsx"), "OrganizationKeys")
})

/** The workspace's own keys of model providers. */
export const providerKeysRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "keys/providers",
  component: lazyRouteComponent(() => import("./ProviderKeys.tsx"), "ProviderKeys")
})

/** The secrets that tools are called with. */
export const toolSecretsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "keys/tools",
  component: lazyRouteComponent(() => import("./ToolSecrets.tsx"), "ToolSecrets")
})
