import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { frameRoute } from "../../frame/routes.tsx"

/** The agents that the organization gives all of its workspaces. */
export const agentTemplatesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "organization/agents",
  component: lazyRouteComponent(() => import("./AgentTemplates.tsx"), "AgentTemplates")
})

/** One of them, and what each workspace has of it. */
export const agentTemplateRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "organization/agents/$templateId",
  component: lazyRouteComponent(() => import("./AgentTemplates.tsx"), "AgentTemplateScreen")
})

/** The provider keys that it gives them. */
export const providerKeyTemplatesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "organization/provider-keys",
  component: lazyRouteComponent(() => import("./ProviderKeyTemplates.tsx"), "ProviderKeyTemplates")
})

/** One of these. */
export const providerKeyTemplateRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "organization/provider-keys/$templateId",
  component: lazyRouteComponent(() => import("./ProviderKeyTemplates.tsx"), "ProviderKeyTemplateScreen")
})

/** The tool secrets that it gives them. */
export const toolSecretTemplatesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "organization/tool-secrets",
  component: lazyRouteComponent(() => import("./ToolSecretTemplates.tsx"), "ToolSecretTemplates")
})

/** One of these. */
export const toolSecretTemplateRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "organization/tool-secrets/$templateId",
  component: lazyRouteComponent(() => import("./ToolSecretTemplates.tsx"), "ToolSecretTemplateScreen")
})
