/** Every operation of the interface: its method, its address, whether a repetition creates nothing twice (`keyed`), whether it
 * answers pages, and whether it takes a body. Written by this package's tests under UPDATE_OPENAPI=1. */
export const OPERATIONS = {
  auth: {
    me: { method: "GET", path: "/api/v1/auth/me" },
    createApiKey: { method: "POST", path: "/api/v1/auth/api-keys", keyed: true, hasBody: true },
    listApiKeys: { method: "GET", path: "/api/v1/auth/api-keys", paged: true },
    updateApiKey: { method: "PATCH", path: "/api/v1/auth/api-keys/:key_id", hasBody: true },
    rotateApiKey: { method: "POST", path: "/api/v1/auth/api-keys/:key_id/rotate", keyed: true, hasBody: true },
    revokeApiKey: { method: "DELETE", path: "/api/v1/auth/api-keys/:key_id" }
  },
  login: {
    beginLogin: { method: "GET", path: "/api/v1/auth/oauth/:provider/login" },
    completeLogin: { method: "GET", path: "/api/v1/auth/oauth/:provider/callback" }
  },
  loginSessions: {
    logout: { method: "POST", path: "/api/v1/auth/logout" },
    listSessions: { method: "GET", path: "/api/v1/auth/sessions", paged: true },
    revokeSession: { method: "DELETE", path: "/api/v1/auth/sessions/:session_id" }
  },
  orgKeys: {
    createOrgApiKey: { method: "POST", path: "/api/v1/org/api-keys", keyed: true, hasBody: true },
    listOrgApiKeys: { method: "GET", path: "/api/v1/org/api-keys", paged: true },
    updateOrgApiKey: { method: "PATCH", path: "/api/v1/org/api-keys/:key_id", hasBody: true },
    rotateOrgApiKey: { method: "POST", path: "/api/v1/org/api-keys/:key_id/rotate", keyed: true, hasBody: true },
    revokeOrgApiKey: { method: "DELETE", path: "/api/v1/org/api-keys/:key_id" }
  },
  workspaces: {
    readWorkspace: { method: "GET", path: "/api/v1/auth/workspace" },
    createWorkspace: { method: "POST", path: "/api/v1/org/workspaces", keyed: true, hasBody: true },
    listWorkspaces: { method: "GET", path: "/api/v1/org/workspaces", paged: true },
    updateWorkspace: { method: "PATCH", path: "/api/v1/org/workspaces/:workspace_id", hasBody: true }
  },
  members: {
    inviteMember: { method: "POST", path: "/api/v1/org/members", keyed: true, hasBody: true },
    listMembers: { method: "GET", path: "/api/v1/org/members", paged: true },
    removeMember: { method: "DELETE", path: "/api/v1/org/members/:member_id" }
  },
  agents: {
    listAgents: { method: "GET", path: "/api/v1/agents", paged: true },
    createAgent: { method: "POST", path: "/api/v1/agents", keyed: true, hasBody: true },
    getAgent: { method: "GET", path: "/api/v1/agents/:agent_id" },
    updateAgent: { method: "PATCH", path: "/api/v1/agents/:agent_id", hasBody: true },
    deleteAgent: { method: "DELETE", path: "/api/v1/agents/:agent_id" },
    createAgentWebhook: { method: "POST", path: "/api/v1/agents/:agent_id/webhooks", keyed: true, hasBody: true },
    deleteAgentWebhook: { method: "DELETE", path: "/api/v1/agents/:agent_id/webhooks" }
  },
  hooks: {
    receiveHook: { method: "POST", path: "/api/v1/hooks/:agent_id/:token", keyed: true }
  },
  runs: {
    triggerRun: { method: "POST", path: "/api/v1/runs/", keyed: true, hasBody: true },
    listRuns: { method: "GET", path: "/api/v1/runs/", paged: true },
    getRun: { method: "GET", path: "/api/v1/runs/:run_id" },
    getRunRecord: { method: "GET", path: "/api/v1/runs/:run_id/record" },
    getRunLog: { method: "GET", path: "/api/v1/runs/:run_id/logs", paged: true }
  },
  analytics: {
    readUsage: { method: "GET", path: "/api/v1/analytics/usage" },
    readHourlyUsage: { method: "GET", path: "/api/v1/analytics/hourly" },
    readBillingMonth: { method: "GET", path: "/api/v1/analytics/billing" },
    readRunCosts: { method: "GET", path: "/api/v1/analytics/runs/:run_id/costs" },
    listRunRequests: { method: "GET", path: "/api/v1/analytics/runs/:run_id/requests", paged: true }
  },
  byok: {
    listProviderKeys: { method: "GET", path: "/api/v1/byok/", paged: true },
    registerProviderKey: { method: "POST", path: "/api/v1/byok/:provider_or_key_id", keyed: true, hasBody: true },
    updateProviderKey: { method: "PATCH", path: "/api/v1/byok/:provider_or_key_id", hasBody: true },
    validateProviderKey: { method: "POST", path: "/api/v1/byok/:provider_or_key_id/validate" },
    revokeProviderKey: { method: "DELETE", path: "/api/v1/byok/:provider_or_key_id" }
  },
  sessions: {
    getSession: { method: "GET", path: "/api/v1/sessions/:session_id" },
    listMessages: { method: "GET", path: "/api/v1/sessions/:session_id/messages", paged: true },
    replyToSession: { method: "POST", path: "/api/v1/sessions/:session_id/messages", keyed: true, hasBody: true },
    cancelSession: { method: "POST", path: "/api/v1/sessions/:session_id/cancel", hasBody: true }
  },
  webhooks: {
    registerEndpoint: { method: "POST", path: "/api/v1/org/webhooks", keyed: true, hasBody: true },
    listEndpoints: { method: "GET", path: "/api/v1/org/webhooks", paged: true },
    followEvents: { method: "GET", path: "/api/v1/org/webhooks/stream" },
    readReplay: { method: "GET", path: "/api/v1/org/webhooks/replays/:replay_id" },
    getEndpoint: { method: "GET", path: "/api/v1/org/webhooks/:endpoint_id" },
    updateEndpoint: { method: "PATCH", path: "/api/v1/org/webhooks/:endpoint_id", hasBody: true },
    deleteEndpoint: { method: "DELETE", path: "/api/v1/org/webhooks/:endpoint_id" },
    rotateSecret: {
      method: "POST",
      path: "/api/v1/org/webhooks/:endpoint_id/rotate-secret",
      keyed: true,
      hasBody: true
    },
    testEndpoint: { method: "POST", path: "/api/v1/org/webhooks/:endpoint_id/test", keyed: true, hasBody: true },
    enableEndpoint: { method: "POST", path: "/api/v1/org/webhooks/:endpoint_id/enable" },
    startReplay: { method: "POST", path: "/api/v1/org/webhooks/:endpoint_id/replay", keyed: true, hasBody: true },
    listDeliveries: { method: "GET", path: "/api/v1/org/webhooks/:endpoint_id/deliveries" },
    getDelivery: { method: "GET", path: "/api/v1/org/webhooks/:endpoint_id/deliveries/:delivery_id" },
    replayDelivery: { method: "POST", path: "/api/v1/org/webhooks/:endpoint_id/deliveries/:delivery_id/replay" }
  },
  notifications: {
    listNotifications: { method: "GET", path: "/api/v1/notifications" },
    markNotificationsRead: { method: "POST", path: "/api/v1/notifications/read", hasBody: true },
    followNotifications: { method: "GET", path: "/api/v1/notifications/stream" }
  },
  activity: {
    listActivity: { method: "GET", path: "/api/v1/activity", paged: true }
  }
} as const
