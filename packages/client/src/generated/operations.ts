/**
 * Every operation as its method, its address below /api/v1/, and marks: `keyed` where a repetition under the same
 * Idempotency-Key creates nothing twice, `paged` where it answers pages, `body` where it takes one. Made from openapi.json by `npm run docs`.
 */
export const OPERATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  auth: {
    me: "GET auth/me",
    listApiKeys: "GET auth/api-keys paged",
    createApiKey: "POST auth/api-keys keyed body",
    updateApiKey: "PATCH auth/api-keys/{key_id} body",
    revokeApiKey: "DELETE auth/api-keys/{key_id}",
    rotateApiKey: "POST auth/api-keys/{key_id}/rotate keyed body"
  },
  login: {
    listLoginProviders: "GET auth/oauth/providers"
  },
  loginSessions: {
    logout: "POST auth/logout",
    listLoginSessions: "GET auth/sessions paged",
    revokeSession: "DELETE auth/sessions/{session_id}"
  },
  orgKeys: {
    listOrgApiKeys: "GET org/api-keys paged",
    createOrgApiKey: "POST org/api-keys keyed body",
    createWebhookGrant: "POST org/webhook-grants keyed body",
    updateOrgApiKey: "PATCH org/api-keys/{key_id} body",
    revokeOrgApiKey: "DELETE org/api-keys/{key_id}",
    rotateOrgApiKey: "POST org/api-keys/{key_id}/rotate keyed body"
  },
  workspaces: {
    readWorkspace: "GET auth/workspace",
    listReachableWorkspaces: "GET auth/workspaces paged",
    listWorkspaces: "GET org/workspaces paged",
    createWorkspace: "POST org/workspaces keyed body",
    updateWorkspace: "PATCH org/workspaces/{workspace_id} body"
  },
  erasures: {
    eraseWorkspace: "DELETE org/workspaces/{workspace_id} keyed",
    eraseRun: "DELETE runs/{run_id} keyed",
    eraseSession: "DELETE sessions/{session_id} keyed",
    eraseAgent: "POST agents/{agent_id}/erase keyed",
    getErasure: "GET erasures/{erasure_id}"
  },
  members: {
    listMembers: "GET org/members paged",
    inviteMember: "POST org/members keyed body",
    removeMember: "DELETE org/members/{member_id}"
  },
  agents: {
    listAgents: "GET agents paged",
    createAgent: "POST agents keyed body",
    getAgent: "GET agents/{agent_id}",
    updateAgent: "PATCH agents/{agent_id} body",
    deleteAgent: "DELETE agents/{agent_id}",
    listAgentVersions: "GET agents/{agent_id}/versions paged",
    createAgentWebhook: "POST agents/{agent_id}/webhooks keyed body",
    deleteAgentWebhook: "DELETE agents/{agent_id}/webhooks"
  },
  hooks: {
    receiveHook: "POST hooks/{agent_id}/{token} keyed body"
  },
  runs: {
    listRuns: "GET runs/ paged",
    triggerRun: "POST runs/ keyed body",
    getRun: "GET runs/{run_id}",
    createRunBrowserKey: "POST runs/{run_id}/browser-keys keyed body",
    getRunRecord: "GET runs/{run_id}/record",
    getRunLog: "GET runs/{run_id}/logs paged"
  },
  schedules: {
    listSchedules: "GET schedules paged",
    createSchedule: "POST schedules keyed body",
    getSchedule: "GET schedules/{schedule_id}",
    updateSchedule: "PATCH schedules/{schedule_id} body",
    deleteSchedule: "DELETE schedules/{schedule_id}"
  },
  analytics: {
    readUsage: "GET analytics/usage",
    readHourlyUsage: "GET analytics/hourly",
    readBillingMonth: "GET analytics/billing",
    readRunCosts: "GET analytics/runs/{run_id}/costs",
    listRunRequests: "GET analytics/runs/{run_id}/requests paged",
    readOrganizationUsage: "GET org/analytics/usage",
    readOrganizationHourlyUsage: "GET org/analytics/hourly",
    readOrganizationBillingMonth: "GET org/analytics/billing"
  },
  byok: {
    listProviderKeys: "GET byok/ paged",
    registerProviderKey: "POST byok/{provider} keyed body",
    updateProviderKey: "PATCH byok/{provider} body",
    revokeProviderKey: "DELETE byok/{provider}",
    validateProviderKey: "POST byok/{provider}/validate"
  },
  toolSecrets: {
    listToolSecrets: "GET tool-secrets paged",
    createToolSecret: "POST tool-secrets keyed body",
    getToolSecret: "GET tool-secrets/{secret_id}",
    updateToolSecret: "PATCH tool-secrets/{secret_id} body",
    deleteToolSecret: "DELETE tool-secrets/{secret_id}"
  },
  orgToolSecrets: {
    listToolSecretTemplates: "GET org/tool-secrets paged",
    createToolSecretTemplate: "POST org/tool-secrets keyed body",
    getToolSecretTemplate: "GET org/tool-secrets/{template_id}",
    updateToolSecretTemplate: "PATCH org/tool-secrets/{template_id} body",
    deleteToolSecretTemplate: "DELETE org/tool-secrets/{template_id}",
    listToolSecretTemplateWorkspaces: "GET org/tool-secrets/{template_id}/workspaces paged"
  },
  orgProviderKeys: {
    listProviderKeyTemplates: "GET org/provider-keys paged",
    createProviderKeyTemplate: "POST org/provider-keys keyed body",
    getProviderKeyTemplate: "GET org/provider-keys/{template_id}",
    updateProviderKeyTemplate: "PATCH org/provider-keys/{template_id} body",
    deleteProviderKeyTemplate: "DELETE org/provider-keys/{template_id}",
    revokeProviderKeyTemplate: "POST org/provider-keys/{template_id}/revoke",
    listProviderKeyTemplateWorkspaces: "GET org/provider-keys/{template_id}/workspaces paged"
  },
  orgAgentTemplates: {
    listAgentTemplates: "GET org/agent-templates paged",
    createAgentTemplate: "POST org/agent-templates keyed body",
    getAgentTemplate: "GET org/agent-templates/{template_id}",
    updateAgentTemplate: "PATCH org/agent-templates/{template_id} body",
    deleteAgentTemplate: "DELETE org/agent-templates/{template_id}",
    listAgentTemplateWorkspaces: "GET org/agent-templates/{template_id}/workspaces paged"
  },
  sessions: {
    listSessions: "GET sessions paged",
    getSession: "GET sessions/{session_id}",
    createSessionBrowserKey: "POST sessions/{session_id}/browser-keys keyed body",
    listMessages: "GET sessions/{session_id}/messages paged",
    replyToSession: "POST sessions/{session_id}/messages keyed body",
    cancelSession: "POST sessions/{session_id}/cancel body"
  },
  webhooks: {
    listEndpoints: "GET org/webhooks paged",
    registerEndpoint: "POST org/webhooks keyed body",
    listAllReplays: "GET org/webhooks/replays paged",
    readReplay: "GET org/webhooks/replays/{replay_id}",
    getEndpoint: "GET org/webhooks/{endpoint_id}",
    updateEndpoint: "PATCH org/webhooks/{endpoint_id} body",
    deleteEndpoint: "DELETE org/webhooks/{endpoint_id}",
    rotateSecret: "POST org/webhooks/{endpoint_id}/rotate-secret keyed body",
    testEndpoint: "POST org/webhooks/{endpoint_id}/test keyed body",
    enableEndpoint: "POST org/webhooks/{endpoint_id}/enable",
    startReplay: "POST org/webhooks/{endpoint_id}/replay keyed body",
    listReplays: "GET org/webhooks/{endpoint_id}/replays paged",
    listDeliveries: "GET org/webhooks/{endpoint_id}/deliveries paged",
    getDelivery: "GET org/webhooks/{endpoint_id}/deliveries/{delivery_id}",
    replayDelivery: "POST org/webhooks/{endpoint_id}/deliveries/{delivery_id}/replay body"
  },
  notifications: {
    listNotifications: "GET notifications",
    markNotificationsRead: "POST notifications/read body"
  },
  activity: {
    listActivity: "GET activity paged"
  }
}
