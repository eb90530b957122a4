/** The operations of the interface as calls. Made from openapi.json by `npm run docs`. */
import type { CallOptions } from "../CallOptions.ts"
import type {
  ActivityEntry,
  ActivityPage,
  Agent,
  AgentChange,
  AgentPage,
  AgentTemplate,
  AgentTemplatePage,
  AgentVersion,
  AgentVersionPage,
  AgentWebhook,
  ApiKey,
  ApiKeyChange,
  ApiKeyPage,
  ApiKeyRotation,
  BillingMonth,
  CreatedApiKey,
  CurrentWorkspace,
  DeletedAgent,
  DeletedAgentWebhook,
  DeletedSchedule,
  DeletedTemplate,
  DeletedToolSecret,
  Delivery,
  DeliveryList,
  Endpoint,
  EndpointPage,
  Erasure,
  ErasurePreview,
  HookReceipt,
  HourlyUsage,
  LoginProviderList,
  LoginSession,
  LoginSessionPage,
  Me,
  Member,
  MemberPage,
  Message,
  MessageAccepted,
  MessagePage,
  NewAgent,
  NewAgentWebhook,
  NewApiKey,
  NewBrowserKey,
  NewDeliveryReplay,
  NewEndpoint,
  NewEndpointDetails,
  NewMember,
  NewMessage,
  NewProviderKey,
  NewProviderKeyTemplate,
  NewReadMark,
  NewReplay,
  NewRun,
  NewSchedule,
  NewSecret,
  NewTestEvent,
  NewToolSecret,
  NewWebhookGrant,
  NewWorkspace,
  NotificationList,
  OrganizationBillingMonth,
  OrganizationUsageSummary,
  ProviderKey,
  ProviderKeyChange,
  ProviderKeyPage,
  ProviderKeyTemplate,
  ProviderKeyTemplatePage,
  ReachableWorkspace,
  ReachableWorkspacePage,
  RegisteredEndpoint,
  RemovedMember,
  Replay,
  ReplayPage,
  RevokedApiKey,
  RevokedLoginSession,
  RevokedProviderKey,
  RotatedApiKey,
  RotatedEndpoint,
  Run,
  RunBrowserKey,
  RunCosts,
  RunEvent,
  RunLogPage,
  RunPage,
  RunRecord,
  RunRequest,
  RunRequestPage,
  Schedule,
  ScheduleChange,
  SchedulePage,
  Session,
  SessionBrowserKey,
  SessionCancel,
  SessionCancelled,
  SessionPage,
  SessionSummary,
  TemplateWorkspace,
  TemplateWorkspacePage,
  ToolSecret,
  ToolSecretChange,
  ToolSecretPage,
  ToolSecretTemplate,
  ToolSecretTemplatePage,
  UnreadCount,
  UsageSummary,
  Workspace,
  WorkspaceChange,
  WorkspacePage
} from "./schemas.ts"

/** The request of `auth.listApiKeys`. */
export interface ListApiKeysRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `auth.createApiKey`. */
export interface CreateApiKeyRequest extends CallOptions {
  readonly body: NewApiKey
}

/** The request of `auth.updateApiKey`. */
export interface UpdateApiKeyRequest extends CallOptions {
  readonly params: {
    /** The key's id */
    readonly key_id: string
  }
  readonly body?: ApiKeyChange | undefined
}

/** The request of `auth.revokeApiKey`. */
export interface RevokeApiKeyRequest extends CallOptions {
  readonly params: {
    /** The key's id */
    readonly key_id: string
  }
  readonly query?: {
    /** Whether the keys that it has made, by creation or rotation, that those have made, and so on, are revoked as well, after it in batches. A key that is being made at that moment is revoked, too */
    readonly descendants?: boolean | undefined
  } | undefined
}

/** The request of `auth.rotateApiKey`. */
export interface RotateApiKeyRequest extends CallOptions {
  readonly params: {
    /** The key's id */
    readonly key_id: string
  }
  readonly body?: ApiKeyRotation | undefined
}

/** The request of `loginSessions.listLoginSessions`. */
export interface ListLoginSessionsRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `loginSessions.revokeSession`. */
export interface RevokeSessionRequest extends CallOptions {
  readonly params: {
    /** The session's id */
    readonly session_id: string
  }
}

/** The request of `orgKeys.listOrgApiKeys`. */
export interface ListOrgApiKeysRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `orgKeys.createOrgApiKey`. */
export interface CreateOrgApiKeyRequest extends CallOptions {
  readonly body: NewApiKey
}

/** The request of `orgKeys.createWebhookGrant`. */
export interface CreateWebhookGrantRequest extends CallOptions {
  readonly body?: NewWebhookGrant | undefined
}

/** The request of `orgKeys.updateOrgApiKey`. */
export interface UpdateOrgApiKeyRequest extends CallOptions {
  readonly params: {
    /** The key's id */
    readonly key_id: string
  }
  readonly body?: ApiKeyChange | undefined
}

/** The request of `orgKeys.revokeOrgApiKey`. */
export interface RevokeOrgApiKeyRequest extends CallOptions {
  readonly params: {
    /** The key's id */
    readonly key_id: string
  }
  readonly query?: {
    /** Whether the keys that it has made, by creation or rotation, that those have made, and so on, are revoked as well, after it in batches. A key that is being made at that moment is revoked, too */
    readonly descendants?: boolean | undefined
  } | undefined
}

/** The request of `orgKeys.rotateOrgApiKey`. */
export interface RotateOrgApiKeyRequest extends CallOptions {
  readonly params: {
    /** The key's id */
    readonly key_id: string
  }
  readonly body?: ApiKeyRotation | undefined
}

/** The request of `workspaces.listReachableWorkspaces`. */
export interface ListReachableWorkspacesRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `workspaces.listWorkspaces`. */
export interface ListWorkspacesRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `workspaces.createWorkspace`. */
export interface CreateWorkspaceRequest extends CallOptions {
  readonly body: NewWorkspace
}

/** The request of `workspaces.updateWorkspace`. */
export interface UpdateWorkspaceRequest extends CallOptions {
  readonly params: {
    /** The workspace's id */
    readonly workspace_id: string
  }
  readonly body?: WorkspaceChange | undefined
}

/** The request of `erasures.eraseWorkspace`. */
export interface EraseWorkspaceRequest extends CallOptions {
  readonly params: {
    /** The workspace's id */
    readonly workspace_id: string
  }
  readonly query?: {
    /** Whether it is only counted what would go: 200, and nothing is changed. Missing: false */
    readonly dry_run?: boolean | undefined
  } | undefined
}

/** The request of `members.listMembers`. */
export interface ListMembersRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `members.inviteMember`. */
export interface InviteMemberRequest extends CallOptions {
  readonly body: NewMember
}

/** The request of `members.removeMember`. */
export interface RemoveMemberRequest extends CallOptions {
  readonly params: {
    /** The member's id */
    readonly member_id: string
  }
}

/** The request of `agents.listAgents`. */
export interface ListAgentsRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `agents.createAgent`. */
export interface CreateAgentRequest extends CallOptions {
  readonly body: NewAgent
}

/** The request of `agents.getAgent`. */
export interface GetAgentRequest extends CallOptions {
  readonly params: {
    /** The agent's id */
    readonly agent_id: string
  }
}

/** The request of `agents.updateAgent`. */
export interface UpdateAgentRequest extends CallOptions {
  readonly params: {
    /** The agent's id */
    readonly agent_id: string
  }
  readonly body?: AgentChange | undefined
}

/** The request of `agents.deleteAgent`. */
export interface DeleteAgentRequest extends CallOptions {
  readonly params: {
    /** The agent's id */
    readonly agent_id: string
  }
}

/** The request of `agents.listAgentVersions`. */
export interface ListAgentVersionsRequest extends CallOptions {
  readonly params: {
    /** The agent's id */
    readonly agent_id: string
  }
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `agents.createAgentWebhook`. */
export interface CreateAgentWebhookRequest extends CallOptions {
  readonly params: {
    /** The agent's id */
    readonly agent_id: string
  }
  readonly body?: NewAgentWebhook | undefined
}

/** The request of `agents.deleteAgentWebhook`. */
export interface DeleteAgentWebhookRequest extends CallOptions {
  readonly params: {
    /** The agent's id */
    readonly agent_id: string
  }
}

/** The request of `hooks.receiveHook`. */
export interface ReceiveHookRequest extends CallOptions {
  readonly params: {
    /** The agent's id */
    readonly agent_id: string
    /** The token of the agent's inbound URL */
    readonly token: string
  }
  readonly body: unknown
}

/** The request of `runs.listRuns`. */
export interface ListRunsRequest extends CallOptions {
  readonly query?: {
    /** Only runs in this status; `paused` for those that ended on a question which is still open */
    readonly status?: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "paused" | undefined
    /** Only runs of this agent; an unknown one has none */
    readonly agent_id?: string | undefined
    /** Only runs of this session; an unknown one has none */
    readonly session_id?: string | undefined
    /** Only runs that carry this tag */
    readonly tag?: string | undefined
    /** Only runs that were triggered at this time or later */
    readonly since?: string | undefined
    /** Only runs that were triggered before this time */
    readonly until?: string | undefined
    /** Only runs with this text, in any case, in the first 200 characters of the message that they were triggered with, or whose id, or session's id, begins with it */
    readonly q?: string | undefined
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `runs.triggerRun`. */
export interface TriggerRunRequest extends CallOptions {
  readonly body: NewRun
}

/** The request of `runs.getRun`. */
export interface GetRunRequest extends CallOptions {
  readonly params: {
    /** The run's id */
    readonly run_id: string
  }
  readonly query?: {
    /** How long the answer may wait for the run to end */
    readonly wait_seconds?: number | undefined
  } | undefined
}

/** The request of `erasures.eraseRun`. */
export interface EraseRunRequest extends CallOptions {
  readonly params: {
    /** The run's id */
    readonly run_id: string
  }
  readonly query?: {
    /** Whether it is only counted what would go: 200, and nothing is changed. Missing: false */
    readonly dry_run?: boolean | undefined
  } | undefined
}

/** The request of `runs.createRunBrowserKey`. */
export interface CreateRunBrowserKeyRequest extends CallOptions {
  readonly params: {
    /** The run's id */
    readonly run_id: string
  }
  readonly body?: NewBrowserKey | undefined
}

/** The request of `runs.getRunRecord`. */
export interface GetRunRecordRequest extends CallOptions {
  readonly params: {
    /** The run's id */
    readonly run_id: string
  }
  readonly query?: {
    /** Whether it says what the run has cost and used. With `false` nothing is in it that a price could be worked out from: no tokens, models, providers or keys. Missing: true */
    readonly include_cost?: boolean | undefined
  } | undefined
}

/** The request of `runs.getRunLog`. */
export interface GetRunLogRequest extends CallOptions {
  readonly params: {
    /** The run's id */
    readonly run_id: string
  }
  readonly query?: {
    /** Begin behind this sequence number */
    readonly after?: number | undefined
    /** Most events of a JSON page, which also ends with the event that fills it to 256 KiB; streams have no limit */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
    /** `ui-message` for the log as a message of the AI SDK, in its UI message stream: an event stream whose `data` are chunks of that protocol, and `[DONE]` at the end */
    readonly format?: "ui-message" | undefined
  } | undefined
}

/** The request of `schedules.listSchedules`. */
export interface ListSchedulesRequest extends CallOptions {
  readonly query?: {
    /** Only schedules of this agent; an unknown one has none */
    readonly agent_id?: string | undefined
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `schedules.createSchedule`. */
export interface CreateScheduleRequest extends CallOptions {
  readonly body: NewSchedule
}

/** The request of `schedules.getSchedule`. */
export interface GetScheduleRequest extends CallOptions {
  readonly params: {
    /** The schedule's id */
    readonly schedule_id: string
  }
}

/** The request of `schedules.updateSchedule`. */
export interface UpdateScheduleRequest extends CallOptions {
  readonly params: {
    /** The schedule's id */
    readonly schedule_id: string
  }
  readonly body?: ScheduleChange | undefined
}

/** The request of `schedules.deleteSchedule`. */
export interface DeleteScheduleRequest extends CallOptions {
  readonly params: {
    /** The schedule's id */
    readonly schedule_id: string
  }
}

/** The request of `analytics.readUsage`. */
export interface ReadUsageRequest extends CallOptions {
  readonly query?: {
    /** From this full hour on; 30 days before `until` when missing */
    readonly since?: string | undefined
    /** Before this full hour; the end of the present hour when missing */
    readonly until?: string | undefined
    /** Only this agent; an unknown one used nothing */
    readonly agent_id?: string | undefined
    /** Only this model, as it was asked for. Runs are not narrowed by it */
    readonly model?: string | undefined
    /** Only this model provider. Runs are not narrowed by it */
    readonly provider?: string | undefined
    /** Adds `groups` by this: one of model, provider, agent_id, key_source, tag, metadata.<key>, or two of them, repeated or with a comma. The dearest first. A key of metadata that has a comma cannot be named */
    readonly group_by?: ReadonlyArray<"model" | "provider" | "agent_id" | "key_source" | "tag" | string> | undefined
  } | undefined
}

/** The request of `analytics.readHourlyUsage`. */
export interface ReadHourlyUsageRequest extends CallOptions {
  readonly query?: {
    /** From this full hour on; 30 days before `until` when missing */
    readonly since?: string | undefined
    /** Before this full hour; the end of the present hour when missing */
    readonly until?: string | undefined
    /** Only this agent; an unknown one used nothing */
    readonly agent_id?: string | undefined
    /** Only this model, as it was asked for. Runs are not narrowed by it */
    readonly model?: string | undefined
    /** Only this model provider. Runs are not narrowed by it */
    readonly provider?: string | undefined
  } | undefined
}

/** The request of `analytics.readBillingMonth`. */
export interface ReadBillingMonthRequest extends CallOptions {
  readonly query?: {
    /** The month; the present one when missing. One that has not begun has no days yet */
    readonly month?: string | undefined
    /** Adds `groups` by this: one of model, provider, agent_id, key_source, or two of them, repeated or with a comma. The dearest first */
    readonly group_by?: ReadonlyArray<"model" | "provider" | "agent_id" | "key_source"> | undefined
  } | undefined
}

/** The request of `analytics.readRunCosts`. */
export interface ReadRunCostsRequest extends CallOptions {
  readonly params: {
    /** The run's id */
    readonly run_id: string
  }
}

/** The request of `analytics.listRunRequests`. */
export interface ListRunRequestsRequest extends CallOptions {
  readonly params: {
    /** The run's id */
    readonly run_id: string
  }
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `analytics.readOrganizationUsage`. */
export interface ReadOrganizationUsageRequest extends CallOptions {
  readonly query?: {
    /** From this full hour on; 30 days before `until` when missing */
    readonly since?: string | undefined
    /** Before this full hour; the end of the present hour when missing */
    readonly until?: string | undefined
    /** Only this model, as it was asked for. Runs are not narrowed by it */
    readonly model?: string | undefined
    /** Only this model provider. Runs are not narrowed by it */
    readonly provider?: string | undefined
    /** Adds `groups` by this: one of model, provider, agent_id, key_source, workspace_id, tag, metadata.<key>, or two of them, repeated or with a comma. The dearest first. A key of metadata that has a comma cannot be named */
    readonly group_by?: ReadonlyArray<"model" | "provider" | "agent_id" | "key_source" | "workspace_id" | "tag" | string> | undefined
  } | undefined
}

/** The request of `analytics.readOrganizationHourlyUsage`. */
export interface ReadOrganizationHourlyUsageRequest extends CallOptions {
  readonly query?: {
    /** From this full hour on; 30 days before `until` when missing */
    readonly since?: string | undefined
    /** Before this full hour; the end of the present hour when missing */
    readonly until?: string | undefined
    /** Only this model, as it was asked for. Runs are not narrowed by it */
    readonly model?: string | undefined
    /** Only this model provider. Runs are not narrowed by it */
    readonly provider?: string | undefined
  } | undefined
}

/** The request of `analytics.readOrganizationBillingMonth`. */
export interface ReadOrganizationBillingMonthRequest extends CallOptions {
  readonly query?: {
    /** The month; the present one when missing. One that has not begun has no days yet */
    readonly month?: string | undefined
    /** Adds `groups` by this: one of model, provider, agent_id, key_source, workspace_id, or two of them, repeated or with a comma. The dearest first */
    readonly group_by?: ReadonlyArray<"model" | "provider" | "agent_id" | "key_source" | "workspace_id"> | undefined
  } | undefined
}

/** The request of `byok.listProviderKeys`. */
export interface ListProviderKeysRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `byok.registerProviderKey`. */
export interface RegisterProviderKeyRequest extends CallOptions {
  readonly params: {
    /** The provider */
    readonly provider: "openai" | "anthropic" | "google" | "azure" | "bedrock" | "vertex" | "openai_compatible"
  }
  readonly body: NewProviderKey
}

/** The request of `byok.updateProviderKey`. */
export interface UpdateProviderKeyRequest extends CallOptions {
  readonly params: {
    /** The id of a key, not a provider: the two stand at the same place of the path */
    readonly provider: string
  }
  readonly body?: ProviderKeyChange | undefined
}

/** The request of `byok.revokeProviderKey`. */
export interface RevokeProviderKeyRequest extends CallOptions {
  readonly params: {
    /** The id of a key, not a provider: the two stand at the same place of the path */
    readonly provider: string
  }
}

/** The request of `byok.validateProviderKey`. */
export interface ValidateProviderKeyRequest extends CallOptions {
  readonly params: {
    /** The id of a key, not a provider: the two stand at the same place of the path */
    readonly provider: string
  }
}

/** The request of `toolSecrets.listToolSecrets`. */
export interface ListToolSecretsRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `toolSecrets.createToolSecret`. */
export interface CreateToolSecretRequest extends CallOptions {
  readonly body: NewToolSecret
}

/** The request of `toolSecrets.getToolSecret`. */
export interface GetToolSecretRequest extends CallOptions {
  readonly params: {
    /** The secret's id */
    readonly secret_id: string
  }
}

/** The request of `toolSecrets.updateToolSecret`. */
export interface UpdateToolSecretRequest extends CallOptions {
  readonly params: {
    /** The secret's id */
    readonly secret_id: string
  }
  readonly body?: ToolSecretChange | undefined
}

/** The request of `toolSecrets.deleteToolSecret`. */
export interface DeleteToolSecretRequest extends CallOptions {
  readonly params: {
    /** The secret's id */
    readonly secret_id: string
  }
}

/** The request of `orgToolSecrets.listToolSecretTemplates`. */
export interface ListToolSecretTemplatesRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `orgToolSecrets.createToolSecretTemplate`. */
export interface CreateToolSecretTemplateRequest extends CallOptions {
  readonly body: NewToolSecret
}

/** The request of `orgToolSecrets.getToolSecretTemplate`. */
export interface GetToolSecretTemplateRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
}

/** The request of `orgToolSecrets.updateToolSecretTemplate`. */
export interface UpdateToolSecretTemplateRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
  readonly body?: ToolSecretChange | undefined
}

/** The request of `orgToolSecrets.deleteToolSecretTemplate`. */
export interface DeleteToolSecretTemplateRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
}

/** The request of `orgToolSecrets.listToolSecretTemplateWorkspaces`. */
export interface ListToolSecretTemplateWorkspacesRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `orgProviderKeys.listProviderKeyTemplates`. */
export interface ListProviderKeyTemplatesRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `orgProviderKeys.createProviderKeyTemplate`. */
export interface CreateProviderKeyTemplateRequest extends CallOptions {
  readonly body: NewProviderKeyTemplate
}

/** The request of `orgProviderKeys.getProviderKeyTemplate`. */
export interface GetProviderKeyTemplateRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
}

/** The request of `orgProviderKeys.updateProviderKeyTemplate`. */
export interface UpdateProviderKeyTemplateRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
  readonly body?: ProviderKeyChange | undefined
}

/** The request of `orgProviderKeys.deleteProviderKeyTemplate`. */
export interface DeleteProviderKeyTemplateRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
}

/** The request of `orgProviderKeys.revokeProviderKeyTemplate`. */
export interface RevokeProviderKeyTemplateRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
}

/** The request of `orgProviderKeys.listProviderKeyTemplateWorkspaces`. */
export interface ListProviderKeyTemplateWorkspacesRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `orgAgentTemplates.listAgentTemplates`. */
export interface ListAgentTemplatesRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `orgAgentTemplates.createAgentTemplate`. */
export interface CreateAgentTemplateRequest extends CallOptions {
  readonly body: NewAgent
}

/** The request of `orgAgentTemplates.getAgentTemplate`. */
export interface GetAgentTemplateRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
}

/** The request of `orgAgentTemplates.updateAgentTemplate`. */
export interface UpdateAgentTemplateRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
  readonly body?: AgentChange | undefined
}

/** The request of `orgAgentTemplates.deleteAgentTemplate`. */
export interface DeleteAgentTemplateRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
}

/** The request of `orgAgentTemplates.listAgentTemplateWorkspaces`. */
export interface ListAgentTemplateWorkspacesRequest extends CallOptions {
  readonly params: {
    /** The template's id */
    readonly template_id: string
  }
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `sessions.listSessions`. */
export interface ListSessionsRequest extends CallOptions {
  readonly query?: {
    /** Only sessions in this status: `paused` for those that wait for an answer and have nothing under way */
    readonly status?: "idle" | "queued" | "running" | "paused" | undefined
    /** Only sessions whose first run is of this agent; an unknown one has none */
    readonly agent_id?: string | undefined
    /** Only sessions that began at this time or later */
    readonly since?: string | undefined
    /** Only sessions that began before this time */
    readonly until?: string | undefined
    /** Only sessions with this text, in any case, in the first 200 characters of the message that they began with, or whose id, or first run's id, begins with it */
    readonly q?: string | undefined
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `sessions.getSession`. */
export interface GetSessionRequest extends CallOptions {
  readonly params: {
    /** The session's id */
    readonly session_id: string
  }
}

/** The request of `erasures.eraseSession`. */
export interface EraseSessionRequest extends CallOptions {
  readonly params: {
    /** The session's id */
    readonly session_id: string
  }
  readonly query?: {
    /** Whether it is only counted what would go: 200, and nothing is changed. Missing: false */
    readonly dry_run?: boolean | undefined
  } | undefined
}

/** The request of `sessions.createSessionBrowserKey`. */
export interface CreateSessionBrowserKeyRequest extends CallOptions {
  readonly params: {
    /** The session's id */
    readonly session_id: string
  }
  readonly body?: NewBrowserKey | undefined
}

/** The request of `sessions.listMessages`. */
export interface ListMessagesRequest extends CallOptions {
  readonly params: {
    /** The session's id */
    readonly session_id: string
  }
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `sessions.replyToSession`. */
export interface ReplyToSessionRequest extends CallOptions {
  readonly params: {
    /** The session's id */
    readonly session_id: string
  }
  readonly body?: NewMessage | undefined
}

/** The request of `sessions.cancelSession`. */
export interface CancelSessionRequest extends CallOptions {
  readonly params: {
    /** The session's id */
    readonly session_id: string
  }
  readonly body?: SessionCancel | undefined
}

/** The request of `webhooks.listEndpoints`. */
export interface ListEndpointsRequest extends CallOptions {
  readonly query?: {
    /** Whether deleted endpoints are listed, too. Missing: false */
    readonly include_deleted?: boolean | undefined
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `webhooks.registerEndpoint`. */
export interface RegisterEndpointRequest extends CallOptions {
  readonly body: NewEndpoint
}

/** The request of `webhooks.listAllReplays`. */
export interface ListAllReplaysRequest extends CallOptions {
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `webhooks.readReplay`. */
export interface ReadReplayRequest extends CallOptions {
  readonly params: {
    /** The replay's id */
    readonly replay_id: string
  }
}

/** The request of `webhooks.getEndpoint`. */
export interface GetEndpointRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
  }
}

/** The request of `webhooks.updateEndpoint`. */
export interface UpdateEndpointRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
  }
  readonly body?: NewEndpointDetails | undefined
}

/** The request of `webhooks.deleteEndpoint`. */
export interface DeleteEndpointRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
  }
}

/** The request of `webhooks.rotateSecret`. */
export interface RotateSecretRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
  }
  readonly body?: NewSecret | undefined
}

/** The request of `webhooks.testEndpoint`. */
export interface TestEndpointRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
  }
  readonly body?: NewTestEvent | undefined
}

/** The request of `webhooks.enableEndpoint`. */
export interface EnableEndpointRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
  }
}

/** The request of `webhooks.startReplay`. */
export interface StartReplayRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
  }
  readonly body: NewReplay
}

/** The request of `webhooks.listReplays`. */
export interface ListReplaysRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
  }
  readonly query?: {
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `webhooks.listDeliveries`. */
export interface ListDeliveriesRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
  }
  readonly query?: {
    /** Only deliveries in this state */
    readonly state?: "pending" | "delivered" | "dead" | undefined
    /** Only deliveries of events of this kind */
    readonly event_type?: "run.succeeded" | "run.paused" | "run.failed" | "run.cancelled" | "run.started" | "agent.paused_reminder" | "credential.revoked" | "byok.invalid" | "workspace.cap_reached" | "workspace.cap_near" | "webhook.disabled" | undefined
    /** Only deliveries of events from this time on */
    readonly since?: string | undefined
    /** Only deliveries of events before this time */
    readonly until?: string | undefined
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `webhooks.getDelivery`. */
export interface GetDeliveryRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
    /** The delivery's id */
    readonly delivery_id: string
  }
}

/** The request of `webhooks.replayDelivery`. */
export interface ReplayDeliveryRequest extends CallOptions {
  readonly params: {
    /** The endpoint's id */
    readonly endpoint_id: string
    /** The delivery's id */
    readonly delivery_id: string
  }
  readonly body?: NewDeliveryReplay | undefined
}

/** The request of `notifications.listNotifications`. */
export interface ListNotificationsRequest extends CallOptions {
  readonly query?: {
    /** Only notices of this type */
    readonly type?: "run.failed" | "run.paused" | "credential.revoked" | "workspace.cap_reached" | "workspace.cap_near" | "webhook.endpoint_disabled" | "webhook.delivery_dead" | "api_key.expiring" | undefined
    /** Only notices that are read, or only those that are not */
    readonly read?: boolean | undefined
    /** Only notices of this time or later */
    readonly since?: string | undefined
  } | undefined
}

/** The request of `notifications.markNotificationsRead`. */
export interface MarkNotificationsReadRequest extends CallOptions {
  readonly body?: NewReadMark | undefined
}

/** The request of `activity.listActivity`. */
export interface ListActivityRequest extends CallOptions {
  readonly query?: {
    /** Only entries about this kind of resource: `agent`, `api_key`, `byok_key`, `login`, `login_session`, `member`, `organization`, `price`, `run`, `schedule`, `session`, `template`, `tool_secret`, `usage`, `webhook_endpoint`, `workspace`. Another kind has none */
    readonly resource_type?: string | undefined
    /** Only entries about the resource with this id */
    readonly resource_id?: string | undefined
    /** Only actions of such an actor */
    readonly actor_type?: "user" | "agent" | "system" | undefined
    /** Only entries of this time or later */
    readonly since?: string | undefined
    /** Most items of the page */
    readonly limit?: number | undefined
    /** The `next_cursor` of the page before. Send the same filters with every cursor. It is opaque and cannot be altered. */
    readonly cursor?: string | undefined
  } | undefined
}

/** The request of `erasures.eraseAgent`. */
export interface EraseAgentRequest extends CallOptions {
  readonly params: {
    /** The agent's id */
    readonly agent_id: string
  }
  readonly query?: {
    /** Whether it is only counted what would go: 200, and nothing is changed. Missing: false */
    readonly dry_run?: boolean | undefined
  } | undefined
}

/** The request of `erasures.getErasure`. */
export interface GetErasureRequest extends CallOptions {
  readonly params: {
    /** The erasure's id */
    readonly erasure_id: string
  }
}

/** The calls of `client.auth`. */
export interface AuthCalls {
  /** Who am I?. The current caller: its workspace and organization, and how it was recognised. Any valid credential will do. `workspace` is null for an organization key that names none. `provider`, `user` and `csrf_token` are null for a key; `key_id` and `key_name` are null for a session. For every key and session. */
  readonly me: (request?: CallOptions) => Promise<Me>
  /** List the workspace's keys. The workspace's keys, newest first; never their values. Needs the scope `keys:read`; for keys and sessions, for a workspace. */
  readonly listApiKeys: (request?: ListApiKeysRequest) => Promise<ApiKeyPage>
  /** Create a workspace key. Creates a key of the workspace and shows its value, this once. A key never gets more scopes, a longer life, or more networks than the key that makes it. Needs the scope `keys:write`; for keys and sessions, for a workspace. */
  readonly createApiKey: (request: CreateApiKeyRequest) => Promise<CreatedApiKey>
  /** Change a workspace key. Changes a key of the workspace. The caller must have every scope that the key has, and the changed key must be one that the caller could create. Holds from the very next request of the key on. Absent members stay as they are; `scopes`, `allowed_ips`, `metadata` and `rate_limit` are replaced as a whole. A body that changes nothing answers the key as it is. A key that is revoked, expired or rotating is 422. Needs the scope `keys:write`; for keys and sessions, for a workspace. */
  readonly updateApiKey: (request: UpdateApiKeyRequest) => Promise<ApiKey>
  /** Revoke a workspace key. Revokes a key of the workspace, from its very next request on and for ever; with `descendants` those that came of it as well. Doing it again answers the same. A key can revoke itself. Its invitations lapse. Needs the scope `keys:write`; for keys and sessions, for a workspace. */
  readonly revokeApiKey: (request: RevokeApiKeyRequest) => Promise<RevokedApiKey>
  /** Rotate a workspace key. Creates a key that may do the same and shows its value, this once. The old value works for the grace, and not a moment longer. The caller must have every scope that the key has. The successor has the same name and `expires_at`. A key can rotate itself. Only an active key can be rotated, and once, else 422; of several at once one makes the successor. Needs the scope `keys:write`; for keys and sessions, for a workspace. */
  readonly rotateApiKey: (request: RotateApiKeyRequest) => Promise<RotatedApiKey>
}

/** The calls of `client.login`. */
export interface LoginCalls {
  /** List the ways to log in. The identity providers that are configured, for a page that offers them. Takes no credential. An empty list: nobody can log in here, keys alone are taken. For everybody. */
  readonly listLoginProviders: (request?: CallOptions) => Promise<LoginProviderList>
}

/** The calls of `client.loginSessions`. */
export interface LoginSessionsCalls {
  /** Log out. Ends the session that asks, and takes its cookie away. For sessions. */
  readonly logout: (request?: CallOptions) => Promise<undefined>
  /** List one's sessions. The sessions of the person who asks that are open, newest first, whatever organization they are with. For sessions. */
  readonly listLoginSessions: (request?: ListLoginSessionsRequest) => Promise<LoginSessionPage>
  /** End one of one's sessions. Ends a session of the person who asks, from its very next request on. Doing it again answers the same. The session of another person is 404. For sessions. */
  readonly revokeSession: (request: RevokeSessionRequest) => Promise<RevokedLoginSession>
}

/** The calls of `client.orgKeys`. */
export interface OrgKeysCalls {
  /** List the organization's keys. The organization's own keys, newest first; never their values, never workspace keys. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly listOrgApiKeys: (request?: ListOrgApiKeysRequest) => Promise<ApiKeyPage>
  /** Create an organization key. Creates a key that reaches every workspace of the organization, and shows its value, this once. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly createOrgApiKey: (request: CreateOrgApiKeyRequest) => Promise<CreatedApiKey>
  /** Make a webhook grant. Webhooks are operated by organization keys alone. This makes one for the page that an owner or admin has open, with `webhooks:read` and `webhooks:write`, and shows its value, this once. It ends with the session, with the membership or with another role, and after 12 hours at the latest. It is listed among the organization's keys, and can be revoked as they can; its scopes and its end cannot be changed. Needs the scope `org:admin`; for sessions. */
  readonly createWebhookGrant: (request?: CreateWebhookGrantRequest) => Promise<CreatedApiKey>
  /** Change an organization key. Changes an organization key. The caller must have every scope that the key has, and the changed key must be one that the caller could create. Holds from the very next request of the key on. The rest is as for workspace keys. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly updateOrgApiKey: (request: UpdateOrgApiKeyRequest) => Promise<ApiKey>
  /** Revoke an organization key. Revokes an organization key, from its very next request on and for ever; with `descendants` those that came of it as well, keys of workspaces included. The id of a workspace key is 404. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly revokeOrgApiKey: (request: RevokeOrgApiKeyRequest) => Promise<RevokedApiKey>
  /** Rotate an organization key. Creates an organization key that may do the same and shows its value, this once. The old value works for the grace, and not a moment longer. The caller must have every scope that the key has. The rest is as for workspace keys. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly rotateOrgApiKey: (request: RotateOrgApiKeyRequest) => Promise<RotatedApiKey>
}

/** The calls of `client.workspaces`. */
export interface WorkspacesCalls {
  /** Read the current workspace. The workspace that the request is about: a workspace key's own, or the one that X-Workspace-Id names; and what it spends this month. For keys and sessions, for a workspace. */
  readonly readWorkspace: (request?: CallOptions) => Promise<CurrentWorkspace>
  /** List the workspaces that the caller reaches. The workspaces that the caller may name in X-Workspace-Id, newest first: those that a person has a role in, or all of the organization for its owners, admins and keys; for a workspace key its own. For every key and session. */
  readonly listReachableWorkspaces: (request?: ListReachableWorkspacesRequest) => Promise<ReachableWorkspacePage>
  /** List workspaces. The organization's workspaces, newest first. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly listWorkspaces: (request?: ListWorkspacesRequest) => Promise<WorkspacePage>
  /** Create a workspace. Creates a workspace in the organization, for instance one for an end customer. An organization key reaches it at once; keys of its own are created with its id as X-Workspace-Id. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly createWorkspace: (request: CreateWorkspaceRequest) => Promise<Workspace>
  /** Change a workspace. Changes name, cap, retention or time zone of a workspace; absent members stay as they are. A time zone holds from the next month on, so that nothing that was spent changes its month; choosing the present one takes a change back. Everything else holds at once. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly updateWorkspace: (request: UpdateWorkspaceRequest) => Promise<Workspace>
}

/** The calls of `client.erasures`. */
export interface ErasuresCalls {
  /** Erase a workspace. Erases a workspace with everything in it: agents, runs, keys, provider keys, feeds. From now on it is not found, its keys are unknown, its inbound URLs are 404 and open streams end; the rest goes a minute and a half later, when requests that had begun are over. What it has cost stays in the sums of the organization, under its id. It cannot be undone. The answer is an erasure, which `GET /api/v1/erasures/{erasure_id}` follows; asking again answers the same one, and 404 once it is done. With `dry_run=true` it is only counted what would go. Needs the scope `data:erase`; for organization keys; sessions of owners and admins. */
  readonly eraseWorkspace: (request: EraseWorkspaceRequest) => Promise<ErasurePreview | Erasure>
  /** Erase a run. Erases a run with its log, events, deliveries, notices and entries in the activity feed; one that has not ended is cancelled first. Open questions of its session are closed, and a run that is executed there is cancelled, since both may hold what was said before. A session without another run goes as well. It cannot be undone. The answer is an erasure, which `GET /api/v1/erasures/{erasure_id}` follows; asking again answers the same one, and 404 once it is done. With `dry_run=true` it is only counted what would go. Needs the scope `data:erase`; for keys and sessions, for a workspace. */
  readonly eraseRun: (request: EraseRunRequest) => Promise<ErasurePreview | Erasure>
  /** Erase a session. Erases a session with all of its runs, as `DELETE /api/v1/runs/{run_id}` does with one. It is not found from now on, and no run joins it. It cannot be undone. The answer is an erasure, which `GET /api/v1/erasures/{erasure_id}` follows; asking again answers the same one, and 404 once it is done. With `dry_run=true` it is only counted what would go. Needs the scope `data:erase`; for keys and sessions, for a workspace. */
  readonly eraseSession: (request: EraseSessionRequest) => Promise<ErasurePreview | Erasure>
  /** Erase an agent. Erases an agent, archived or not, with its settings, secrets and inbound URL, and with all of its runs. It is archived at once. `DELETE /api/v1/agents/{agent_id}` archives it alone. It cannot be undone. The answer is an erasure, which `GET /api/v1/erasures/{erasure_id}` follows; asking again answers the same one, and 404 once it is done. With `dry_run=true` it is only counted what would go. Needs the scope `data:erase`; for keys and sessions, for a workspace. */
  readonly eraseAgent: (request: EraseAgentRequest) => Promise<ErasurePreview | Erasure>
  /** Read an erasure. How far an erasure has come. A workspace key sees those of its workspace, an organization key and an owner all of the organization; where such a caller names a workspace, those of that one. Needs the scope `data:erase`; for every key and session. */
  readonly getErasure: (request: GetErasureRequest) => Promise<Erasure>
}

/** The calls of `client.members`. */
export interface MembersCalls {
  /** List members. The organization's members, newest first, those who have not come yet included. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly listMembers: (request?: ListMembersRequest) => Promise<MemberPage>
  /** Invite a member, or change one. Invites a person by e-mail address: a login with that address, verified, makes the person a member. For an address that was invited before it replaces role and workspaces, from the member's next request on. Admins may not make or change owners, and the last owner who has joined stays one. A key with an expiry, with allowed_ips or without some scope gives no role in the organization, and in workspaces only roles whose scopes it has. A workspace of another organization is 404. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly inviteMember: (request: InviteMemberRequest) => Promise<Member>
  /** Remove a member. Removes a member or takes an invitation back. The member's sessions are refused from their next request on. Admins may not remove owners, and the last owner who has joined stays. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly removeMember: (request: RemoveMemberRequest) => Promise<RemovedMember>
}

/** The calls of `client.agents`. */
export interface AgentsCalls {
  /** List agents. The workspace's agents, newest first; archived ones are left out. Needs the scope `agents:read`; for keys and sessions, for a workspace. */
  readonly listAgents: (request?: ListAgentsRequest) => Promise<AgentPage>
  /** Create an agent. Creates an agent in the workspace. Its recipes must be registered in this deployment. A recipe that is not registered is 422. URLs must be HTTPS at public addresses, or be admitted by the operator, else 422 `url_not_public`. Needs the scope `agents:write`; for keys and sessions, for a workspace. */
  readonly createAgent: (request: CreateAgentRequest) => Promise<Agent>
  /** Read an agent. One agent, archived or not. Needs the scope `agents:read`; for keys and sessions, for a workspace. */
  readonly getAgent: (request: GetAgentRequest) => Promise<Agent>
  /** Change an agent. Changes the members in the body and leaves the rest. Runs that have not begun yet are executed by the agent as it is then. Null empties what can be null, and a change that changes nothing counts no version. `mcp_servers` is replaced as a whole; a server without `headers` keeps those that it had under the same name and the very same URL, and `{}` drops them. An `endpoint` with another URL gets a new signing secret, which this answer shows; `rotate_secret` makes one for the same URL. Needs the scope `agents:write`; for keys and sessions, for a workspace. */
  readonly updateAgent: (request: UpdateAgentRequest) => Promise<Agent>
  /** Delete an agent. Archives the agent: no run of it can be triggered, its inbound URL is gone at once, its past runs stay. Queued runs are still executed, and the agent can still be read by its id. The second time the answer is the same. Needs the scope `agents:write`; for keys and sessions, for a workspace. */
  readonly deleteAgent: (request: DeleteAgentRequest) => Promise<DeletedAgent>
  /** List an agent's versions. The last 100 versions of an agent, archived or not, the latest first: its settings from each change on, without secrets. A run shows the version that it was executed with as `agent_version`. Needs the scope `agents:read`; for keys and sessions, for a workspace. */
  readonly listAgentVersions: (request: ListAgentVersionsRequest) => Promise<AgentVersionPage>
  /** Create or replace an agent's inbound webhook. Gives the agent a URL that triggers runs. The one that it had answers 404 at once. URL and secret are shown once. Only a hash of the URL's token is stored, and the secret sealed. Needs the scope `agents:write`; for keys and sessions, for a workspace. */
  readonly createAgentWebhook: (request: CreateAgentWebhookRequest) => Promise<AgentWebhook>
  /** Delete an agent's inbound webhook. The URL stops accepting requests at once; past runs that it dispatched are kept. The second time the answer is the same; for an agent that never had one it is 404. Needs the scope `agents:write`; for keys and sessions, for a workspace. */
  readonly deleteAgentWebhook: (request: DeleteAgentWebhookRequest) => Promise<DeletedAgentWebhook>
}

/** The calls of `client.hooks`. */
export interface HooksCalls {
  /** Trigger a run by an inbound webhook. Accepts a request of a sender that knows the URL, checks its signature as the webhook says, and triggers one run per event. Answers 404 from the moment that the URL is replaced or deleted. For everybody. */
  readonly receiveHook: (request: ReceiveHookRequest) => Promise<HookReceipt>
}

/** The calls of `client.runs`. */
export interface RunsCalls {
  /** List runs. The workspace's runs, newest first. Filters combine. With `q` a page looks at 1,000 runs at most. Needs the scope `runs:read`; for keys and sessions, for a workspace; browser keys. */
  readonly listRuns: (request?: ListRunsRequest) => Promise<RunPage>
  /** Trigger a run. Accepts a run and answers it with 202, whatever its state by then; `wait_seconds` only delays the answer. `Location` says where to read it. An agent or a session that is not of the workspace is 404. The `message` is shown as `prompt`: the `message` of a run is the agent's. 409 `session_busy` where `if_busy` is `reject` and the session has an unfinished run, 402 `cap_reached`, 429 `queue_full`. Needs the scope `runs:write`; for keys and sessions, for a workspace. */
  readonly triggerRun: (request: TriggerRunRequest) => Promise<Run>
  /** Read a run. The run's status, cost and result; with `wait_seconds`, once it has ended or the wait is over. While the service shuts down, an answer that waits comes early, with the run as it is. Needs the scope `runs:read`; for keys and sessions, for a workspace; browser keys. */
  readonly getRun: (request: GetRunRequest) => Promise<Run>
  /** Make a browser key for a run. Makes a key for a page in a browser, which reads this run and its log, without figures of cost, and nothing else. It ends with the key or the session that makes it, and within 15 minutes. A key that may be used from some networks only makes keys for those. It is in no list; its id revokes it, like that of every key. Needs the scope `runs:read`; for keys and sessions, for a workspace. */
  readonly createRunBrowserKey: (request: CreateRunBrowserKeyRequest) => Promise<RunBrowserKey>
  /** Export a run as a record. A signed report of a finished run, with secrets redacted, for people who were not there. With `Accept: text/markdown` or `text/html` to read and to print. The page loads nothing and holds the signed JSON, unless that would take more than half of it. Page and Markdown end at 32 MiB, with a note of what is left out; the JSON is whole and comes in its canonical form. An organization exports two records at a time, and a process four: others wait up to 10 seconds and are then 429 `too_many_streams`. A record that is not read within 5 minutes, or whose key is revoked meanwhile, is broken off. Needs the scope `runs:read`; for keys and sessions, for a workspace. */
  readonly getRunRecord: (request: GetRunRecordRequest) => Promise<RunRecord>
  /** Read or follow a run's log. By default an event stream: the whole log so far, then what comes, until the event that ends the run. `id` is the sequence number and `event` the type; resume with Last-Event-ID or `after`. A comment comes at least every 15 seconds. With `Accept: application/x-ndjson` the same as lines of JSON; with `Accept: application/json` a page. With `format=ui-message` the event stream is a message of the AI SDK, for its `useChat`; an `id` of it is taken up by Last-Event-ID alone. Needs the scope `runs:read`; for keys and sessions, for a workspace; browser keys. */
  readonly getRunLog: (request: GetRunLogRequest) => Promise<RunLogPage>
}

/** The calls of `client.schedules`. */
export interface SchedulesCalls {
  /** List schedules. The workspace's schedules, newest first, enabled or not. Needs the scope `schedules:read`; for keys and sessions, for a workspace. */
  readonly listSchedules: (request?: ListSchedulesRequest) => Promise<SchedulePage>
  /** Create a schedule. Has an agent run by a cron expression, each time in a new session. Runs are made within about a minute of their time; their `run_at` is that time, and their `trigger` the schedule. Where clocks are put forward over a time, its run is made when they are; where they are put back, at the first of the two times, but in schedules of every hour at both. The schedule is the workspace's: it goes on when the key or the person that created it is gone. Needs the scope `schedules:write`; for keys and sessions, for a workspace. */
  readonly createSchedule: (request: CreateScheduleRequest) => Promise<Schedule>
  /** Read a schedule. One schedule, with its next time and what became of the last. Needs the scope `schedules:read`; for keys and sessions, for a workspace. */
  readonly getSchedule: (request: GetScheduleRequest) => Promise<Schedule>
  /** Change a schedule. Changes the members in the body and leaves the rest. `enabled: false` pauses it. With another expression or zone, or enabled again, its times begin now. Runs that it has made stay as they are. Needs the scope `schedules:write`; for keys and sessions, for a workspace. */
  readonly updateSchedule: (request: UpdateScheduleRequest) => Promise<Schedule>
  /** Delete a schedule. Deletes a schedule: it makes no run any more, and those that it made stay. The second time it is 404. Needs the scope `schedules:write`; for keys and sessions, for a workspace. */
  readonly deleteSchedule: (request: DeleteScheduleRequest) => Promise<DeletedSchedule>
}

/** The calls of `client.analytics`. */
export interface AnalyticsCalls {
  /** Read usage. Runs that ended, requests, tokens and cost in a time of up to 366 days whose bounds are full hours, in UTC or in the workspace's time zone. A request counts for the time in which it was begun. The figures are those of `as_of`, a few seconds ago. An `agent_id`, `model` or `provider` that is unknown used nothing. By `tag` or `metadata.<key>` it goes through the requests themselves, 250,000 at most: of a time with more it is 422. Needs the scope `analytics:read`; for keys and sessions, for a workspace. */
  readonly readUsage: (request?: ReadUsageRequest) => Promise<UsageSummary>
  /** Read usage by the hour. The same as a series of up to 744 hours of the workspace's clock, without gaps, with outcomes of runs and percentiles. One that `since` does not begin with is cut there; hours that have not begun are left out. Needs the scope `analytics:read`; for keys and sessions, for a workspace. */
  readonly readHourlyUsage: (request?: ReadHourlyUsageRequest) => Promise<HourlyUsage>
  /** Read the costs of a month. A month day by day, by the workspace's time zone. A day is final 24 hours after its end: from then on its figures do not change, and later costs show in `adjustments_usd`, each time with a higher `revision`. Days that have not begun are left out: a month to come has none. Needs the scope `analytics:read`; for keys and sessions, for a workspace. */
  readonly readBillingMonth: (request?: ReadBillingMonthRequest) => Promise<BillingMonth>
  /** Read the costs of a run. A run's cost by model and by whose key paid, at this very moment. The amount reserved for its requests in flight is beside it. Needs the scope `analytics:read`; for keys and sessions, for a workspace. */
  readonly readRunCosts: (request: ReadRunCostsRequest) => Promise<RunCosts>
  /** List a run's requests to models. Every request to a model provider that a run made and that has ended, failed ones and retries included. Needs the scope `analytics:read`; for keys and sessions, for a workspace. */
  readonly listRunRequests: (request: ListRunRequestsRequest) => Promise<RunRequestPage>
  /** Read the organization's usage. The usage of all workspaces together; bounds are full hours in UTC. By `tag` or `metadata.<key>` it goes through the requests themselves, 250,000 at most: of a time with more it is 422. Needs the scope `analytics:read`; for organization keys; sessions of owners and admins. */
  readonly readOrganizationUsage: (request?: ReadOrganizationUsageRequest) => Promise<OrganizationUsageSummary>
  /** Read the organization's usage by the hour. All workspaces together in up to 168 hours in UTC, the last 7 days when `since` is missing. Hours that have not begun are left out. Needs the scope `analytics:read`; for organization keys; sessions of owners and admins. */
  readonly readOrganizationHourlyUsage: (request?: ReadOrganizationHourlyUsageRequest) => Promise<HourlyUsage>
  /** Read the organization's costs of a month. A month of all workspaces together, day by day: each day adds up what the workspaces have for that date, each by its own time zone, so that the figures are the sums of theirs. A day is final once it is in every workspace. Needs the scope `analytics:read`; for organization keys; sessions of owners and admins. */
  readonly readOrganizationBillingMonth: (request?: ReadOrganizationBillingMonthRequest) => Promise<OrganizationBillingMonth>
}

/** The calls of `client.byok`. */
export interface ByokCalls {
  /** List provider keys. The workspace's provider keys, newest first; never their values. Needs the scope `byok:read`; for keys and sessions, for a workspace. */
  readonly listProviderKeys: (request?: ListProviderKeysRequest) => Promise<ProviderKeyPage>
  /** Register a provider key. Registers the workspace's own key for a provider. The provider is asked first whether it takes the key: one that it refuses is 422 `provider_rejected_key`; where it is out of reach the key is kept as `unverified`. It is asked for its list of models, which costs no tokens; a repetition under the same Idempotency-Key asks nothing. A key that the provider takes, but not now, is kept as `rate_limited` or `quota_exhausted`. An unknown provider is 404. Needs the scope `byok:write`; for keys and sessions, for a workspace. */
  readonly registerProviderKey: (request: RegisterProviderKeyRequest) => Promise<ProviderKey>
  /** Change a provider key. Changes the members in the body. A new `key` is asked about like that of a new registration, and takes the place of the old value, which is erased. Provider and base URL are for ever. Runs that begin later use the new value; one that the provider refuses changes nothing. A revoked key is 422. `version` counts changes by people, not changes of the key's health. Needs the scope `byok:write`; for keys and sessions, for a workspace. */
  readonly updateProviderKey: (request: UpdateProviderKeyRequest) => Promise<ProviderKey>
  /** Revoke a provider key. Revokes a key and erases its value. Nothing is called with it from then on. Doing it again answers the same. The key itself still works at the provider: revoke it there, too. Needs the scope `byok:write`; for keys and sessions, for a workspace. */
  readonly revokeProviderKey: (request: RevokeProviderKeyRequest) => Promise<RevokedProviderKey>
  /** Check a provider key. Asks the provider, by a call that costs nothing, whether it takes the key, and answers the key with the outcome. 409 `provider_key_unreadable` for a value that this deployment cannot open, 422 for a revoked key. Needs the scope `byok:write`; for keys and sessions, for a workspace. */
  readonly validateProviderKey: (request: ValidateProviderKeyRequest) => Promise<ProviderKey>
}

/** The calls of `client.toolSecrets`. */
export interface ToolSecretsCalls {
  /** List tool secrets. The workspace's tool secrets, newest first; never their values. Needs the scope `tool_secrets:read`; for keys and sessions, for a workspace. */
  readonly listToolSecrets: (request?: ListToolSecretsRequest) => Promise<ToolSecretPage>
  /** Add a tool secret. Adds a credential that the workspace's agents send without seeing it: every request of the tool `http_request`, and every request to a server of tools, whose host fits the pattern gets the header. With `oauth` that is `Authorization: Bearer` and an access token, which is fetched by the grant client_credentials and kept in memory until shortly before it expires. A name that is taken, or a header that the pattern has a secret for already, is 409 `tool_secret_exists`. A token URL that may not be called is 422 `url_not_public`. Needs the scope `tool_secrets:write`; for keys and sessions, for a workspace. */
  readonly createToolSecret: (request: CreateToolSecretRequest) => Promise<ToolSecret>
  /** Read a tool secret. One tool secret without its value. Needs the scope `tool_secrets:read`; for keys and sessions, for a workspace. */
  readonly getToolSecret: (request: GetToolSecretRequest) => Promise<ToolSecret>
  /** Change a tool secret. Changes the members in the body. A new `value` or `client_secret` takes the place of the old one, which is erased; the next request is sent with it. Host pattern, header and token URL are for ever, so that nobody can have a value that they do not know sent elsewhere: delete the secret and add another. Needs the scope `tool_secrets:write`; for keys and sessions, for a workspace. */
  readonly updateToolSecret: (request: UpdateToolSecretRequest) => Promise<ToolSecret>
  /** Delete a tool secret. Deletes a secret with its value: no request begins with it from then on. The second time it is 404. The credential itself still works at its host: revoke it there, too. Needs the scope `tool_secrets:write`; for keys and sessions, for a workspace. */
  readonly deleteToolSecret: (request: DeleteToolSecretRequest) => Promise<DeletedToolSecret>
}

/** The calls of `client.orgToolSecrets`. */
export interface OrgToolSecretsCalls {
  /** List templates of tool secrets. The organization's templates of tool secrets, newest first, and how far each has come; never their values. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly listToolSecretTemplates: (request?: ListToolSecretTemplatesRequest) => Promise<ToolSecretTemplatePage>
  /** Make a template of tool secrets. Makes a tool secret for every workspace of the organization, and for every one that is created later: each is a secret of its workspace with an id of its own. A job brings it to them, workspace by workspace. A workspace that has a secret of its own in that place, or as many as it may have, is left out; its part in the template says so. A token URL that may not be called is 422 `url_not_public`. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly createToolSecretTemplate: (request: CreateToolSecretTemplateRequest) => Promise<ToolSecretTemplate>
  /** Read a template of tool secrets. One template without its value, and how far its latest version has come. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly getToolSecretTemplate: (request: GetToolSecretTemplateRequest) => Promise<ToolSecretTemplate>
  /** Change a template of tool secrets. Changes the members in the body, and brings them to every workspace that has not set them for itself. Host pattern, header and token URL are for ever, as those of a secret are. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly updateToolSecretTemplate: (request: UpdateToolSecretTemplateRequest) => Promise<ToolSecretTemplate>
  /** Delete a template of tool secrets. Deletes a template with its value. The secrets that follow it stay in their workspaces, as their own. The second time it is 404. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly deleteToolSecretTemplate: (request: DeleteToolSecretTemplateRequest) => Promise<DeletedTemplate>
  /** List the workspaces of a template of tool secrets. What each workspace has of the template: its secret, the version, what it has set for itself, or why it has none. In the order of their ids. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly listToolSecretTemplateWorkspaces: (request: ListToolSecretTemplateWorkspacesRequest) => Promise<TemplateWorkspacePage>
}

/** The calls of `client.orgProviderKeys`. */
export interface OrgProviderKeysCalls {
  /** List templates of provider keys. The organization's templates of provider keys, newest first, and how far each has come; never their secrets. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly listProviderKeyTemplates: (request?: ListProviderKeyTemplatesRequest) => Promise<ProviderKeyTemplatePage>
  /** Make a template of provider keys. Registers a provider key for every workspace of the organization, and for every one that is created later: each is a key of its workspace with an id of its own, beside those that it has. The provider is asked once whether it takes the key: one that it refuses is 422 `provider_rejected_key`. A job brings it to them, workspace by workspace. A workspace that has as many keys as it may have is left out; its part in the template says so. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly createProviderKeyTemplate: (request: CreateProviderKeyTemplateRequest) => Promise<ProviderKeyTemplate>
  /** Read a template of provider keys. One template without its secrets, and how far its latest version has come. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly getProviderKeyTemplate: (request: GetProviderKeyTemplateRequest) => Promise<ProviderKeyTemplate>
  /** Change a template of provider keys. Changes the members in the body, and brings them to every workspace that has not set them for itself. A new `key` is asked about once. Provider and base URL are for ever. A revoked template is 422. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly updateProviderKeyTemplate: (request: UpdateProviderKeyTemplateRequest) => Promise<ProviderKeyTemplate>
  /** Delete a template of provider keys. Deletes a template with its value. The keys that follow it stay in their workspaces, as their own: to take the key out of use, revoke the template first. The second time it is 404. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly deleteProviderKeyTemplate: (request: DeleteProviderKeyTemplateRequest) => Promise<DeletedTemplate>
  /** Revoke a template of provider keys. Erases the value, and has the key of every workspace revoked that has not given it a value of its own: `spread` says how far that has come. Workspaces that are created later get none. Doing it again answers the same. The key itself still works at the provider: revoke it there, too. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly revokeProviderKeyTemplate: (request: RevokeProviderKeyTemplateRequest) => Promise<ProviderKeyTemplate>
  /** List the workspaces of a template of provider keys. What each workspace has of the template: its key, the version, what it has set for itself, or why it has none. In the order of their ids. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly listProviderKeyTemplateWorkspaces: (request: ListProviderKeyTemplateWorkspacesRequest) => Promise<TemplateWorkspacePage>
}

/** The calls of `client.orgAgentTemplates`. */
export interface OrgAgentTemplatesCalls {
  /** List templates of agents. The organization's templates of agents, newest first, and how far each has come; never their secrets. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly listAgentTemplates: (request?: ListAgentTemplatesRequest) => Promise<AgentTemplatePage>
  /** Make a template of agents. Makes an agent for every workspace of the organization, and for every one that is created later: each is an agent of its workspace with an id of its own. A job brings it to them, workspace by workspace. A workspace that has as many agents as it may have is left out; its part in the template says so. Requests to an `endpoint` are signed with one secret for the agents of all workspaces, which this answer shows. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly createAgentTemplate: (request: CreateAgentTemplateRequest) => Promise<AgentTemplate>
  /** Read a template of agents. One template without its secrets, and how far its latest version has come. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly getAgentTemplate: (request: GetAgentTemplateRequest) => Promise<AgentTemplate>
  /** Change a template of agents. Changes the members in the body, and brings them to every workspace that has not set them for itself. Headers and signing secrets are kept and made as for a change of an agent. Where what a workspace has set for itself does not go with the change, its agent stays as it is, and its part in the template says `conflict`. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly updateAgentTemplate: (request: UpdateAgentTemplateRequest) => Promise<AgentTemplate>
  /** Delete a template of agents. Deletes a template with its secrets. The agents that follow it stay in their workspaces, as their own. The second time it is 404. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly deleteAgentTemplate: (request: DeleteAgentTemplateRequest) => Promise<DeletedTemplate>
  /** List the workspaces of a template of agents. What each workspace has of the template: its agent, the version, what it has set for itself, or why it has none. In the order of their ids. Needs the scope `org:admin`; for organization keys; sessions of owners and admins. */
  readonly listAgentTemplateWorkspaces: (request: ListAgentTemplateWorkspacesRequest) => Promise<TemplateWorkspacePage>
}

/** The calls of `client.sessions`. */
export interface SessionsCalls {
  /** List sessions. The workspace's sessions, newest first by when they began. Filters combine. With `status` or `q` a page looks at 1000 sessions at most, so that it may hold fewer than `limit`, or none, while `next_cursor` leads on to older ones. Needs the scope `runs:read`; for keys and sessions, for a workspace. */
  readonly listSessions: (request?: ListSessionsRequest) => Promise<SessionPage>
  /** Read a session. The session's unfinished runs, its latest run and the open question. Needs the scope `runs:read`; for keys and sessions, for a workspace; browser keys. */
  readonly getSession: (request: GetSessionRequest) => Promise<Session>
  /** Make a browser key for a session. Makes a key for a page in a browser, which reads this session, its messages, its runs and their logs, and nothing else. Its runs are listed with `session_id`. The rest is as for a run. Needs the scope `runs:read`; for keys and sessions, for a workspace. */
  readonly createSessionBrowserKey: (request: CreateSessionBrowserKeyRequest) => Promise<SessionBrowserKey>
  /** List a session's messages. The messages of caller and agent, newest first. The caller's words are the `message` of a run or of a reply, the agent's are the `message` that a run ended with. Needs the scope `runs:read`; for keys and sessions, for a workspace; browser keys. */
  readonly listMessages: (request: ListMessagesRequest) => Promise<MessagePage>
  /** Reply to a paused agent and resume it. Answers a question, or begins an ordinary turn where none is open. Either is a run of its own, which reports its own outcome; of several answers to one question exactly one wins, the others are 409. The run takes agent, recipe and bounds from the run that it answers, or else from the session's latest; its settings, `metadata` and `tags`, too, where the message has none. `wait_seconds` delays the answer until the run has ended or the wait is over. Its agent gets the text as its message, and `decision` and `data` as its input if there is either. A run that is triggered into the session leaves the question open. 409 `run_not_finished` where the run that `run_id` names has not ended, and 422 at `/run_id` where it ended without a question. A run that is paused on calls of tools takes `tool_results` or `approvals`, in part or in full; a message beside them goes to the model at once, and what it leaves unanswered counts as failed. Needs the scope `runs:write`; for keys and sessions, for a workspace. */
  readonly replyToSession: (request: ReplyToSessionRequest) => Promise<MessageAccepted>
  /** Cancel a session. Cancels every unfinished run of the session: queued runs at once, a run that executes within 10 seconds whatever its agent does, and its open questions. 200 with empty lists when there is nothing to cancel. Many queued runs are cancelled in batches, from the end of the line on; where the answer is lost, cancel again and that goes on. Cancelling again asks for nothing new, except that `immediate` may follow `graceful`. Needs the scope `runs:write`; for keys and sessions, for a workspace. */
  readonly cancelSession: (request: CancelSessionRequest) => Promise<SessionCancelled>
}

/** The calls of `client.webhooks`. */
export interface WebhooksCalls {
  /** List webhook endpoints. The organization's endpoints, newest first; never their secrets. Deleted ones with `include_deleted=true` alone. Needs the scope `webhooks:read`; for organization keys. */
  readonly listEndpoints: (request?: ListEndpointsRequest) => Promise<EndpointPage>
  /** Register a webhook endpoint. Registers an HTTPS endpoint for the organization's events and shows its signing secret, this once. An organization holds at most 10 active endpoints. The host is resolved, which may take 5 seconds, and all of its addresses must be public. A workspace that is none of the organization's is 404. The same URL again is another endpoint with a secret of its own, and both are sent to. Needs the scope `webhooks:write`; for organization keys. */
  readonly registerEndpoint: (request: RegisterEndpointRequest) => Promise<RegisteredEndpoint>
  /** List the organization's replays. The replays of ranges of all endpoints, newest first, and how far each has come. Needs the scope `webhooks:read`; for organization keys. */
  readonly listAllReplays: (request?: ListAllReplaysRequest) => Promise<ReplayPage>
  /** Read a replay. How far a replay of a range has come. Needs the scope `webhooks:read`; for organization keys. */
  readonly readReplay: (request: ReadReplayRequest) => Promise<Replay>
  /** Read a webhook endpoint. An endpoint without its secret; a deleted one too. Needs the scope `webhooks:read`; for organization keys. */
  readonly getEndpoint: (request: GetEndpointRequest) => Promise<Endpoint>
  /** Change a webhook endpoint. Changes the members in the body. Deliveries that wait go to the new URL. Disabling makes those that wait dead, and what would come until the endpoint is enabled again; a replay sends it then. `event_types` and `workspace_ids` hold for what is published from then on. 409 `endpoint_inactive` for a deleted one, `endpoint_limit_reached` where `active` would make an eleventh. Needs the scope `webhooks:write`; for organization keys. */
  readonly updateEndpoint: (request: UpdateEndpointRequest) => Promise<Endpoint>
  /** Delete a webhook endpoint. Nothing is sent to it any more. Its deliveries can still be listed, those that waited as dead. The second time it answers the same. Its secret is forgotten. Needs the scope `webhooks:write`; for organization keys. */
  readonly deleteEndpoint: (request: DeleteEndpointRequest) => Promise<Endpoint>
  /** Rotate a signing secret. Gives the endpoint a new signing secret and shows it, this once. Until the grace is over every delivery carries a signature under each secret; a grace of 0 ends all older ones at once. At most 5 sign at once; then the oldest goes. Needs the scope `webhooks:write`; for organization keys. */
  readonly rotateSecret: (request: RotateSecretRequest) => Promise<RotatedEndpoint>
  /** Send a test event. Sends a sample of the kind to this endpoint alone, whatever it subscribed to, signed and retried like every event. Its data has `test: true`, and ids that belong to nothing. It works while the endpoint is disabled, too. `Location` says where to read the delivery. Needs the scope `webhooks:write`; for organization keys. */
  readonly testEndpoint: (request: TestEndpointRequest) => Promise<Delivery>
  /** Enable a webhook endpoint. Switches a disabled endpoint on again; an active one stays as it is. Deliveries that died meanwhile are sent by a replay. 409 `endpoint_inactive` for a deleted one, `endpoint_limit_reached` where it would make an eleventh. Needs the scope `webhooks:write`; for organization keys. */
  readonly enableEndpoint: (request: EnableEndpointRequest) => Promise<Endpoint>
  /** Send a range of deliveries again. Has deliveries of a range of time sent again, oldest event first, behind live traffic: at most 100 of them wait at the endpoint at once. Answers a job whose progress can be read. The endpoint must be active. A sixth replay of it that has not ended is 429 `queue_full`. Needs the scope `webhooks:write`; for organization keys. */
  readonly startReplay: (request: StartReplayRequest) => Promise<Replay>
  /** List an endpoint's replays. The replays of ranges of an endpoint, newest first, and how far each has come; of a deleted endpoint too. Needs the scope `webhooks:read`; for organization keys. */
  readonly listReplays: (request: ListReplaysRequest) => Promise<ReplayPage>
  /** List an endpoint's deliveries. The deliveries of an endpoint, the 50 most recent first, with response codes and errors. Each comes with its 20 newest attempts. A page is looked for among 10,000 deliveries: where a filter passes few, it may have fewer items than `limit`, or none, and a `next_cursor` all the same. Needs the scope `webhooks:read`; for organization keys. */
  readonly listDeliveries: (request: ListDeliveriesRequest) => Promise<DeliveryList>
  /** Read a delivery. One delivery of an endpoint with its newest attempts, however long ago it was. Needs the scope `webhooks:read`; for organization keys. */
  readonly getDelivery: (request: GetDeliveryRequest) => Promise<Delivery>
  /** Send a delivery again. Sends the same event again, under the same id. A dead or delivered delivery starts over; a pending one is due now. Earlier attempts stay. It works at a disabled endpoint, too, so that a receiver can be tried before it is enabled: there it is sent once. The delivery of a deleted endpoint is sent through another, which `endpoint_id` names: that endpoint gets the event as a delivery of its own, which is the answer, whether or not it has had it before. Without one it is 409 `endpoint_inactive`, and so is one that is not active; 409 `endpoint_not_subscribed` where it does not take that kind of event, or none of that workspace. Needs the scope `webhooks:write`; for organization keys. */
  readonly replayDelivery: (request: ReplayDeliveryRequest) => Promise<Delivery>
}

/** The calls of `client.notifications`. */
export interface NotificationsCalls {
  /** Read notifications. The 50 most recent notices to the workspace or to all of its organization, and the exact number of unread ones among all that are kept, whatever the filters say. A notice that is marked as read is so for the whole workspace, and for no other. That of a question becomes read with its answer or cancellation. Of more than ten failures of an agent within ten minutes, one notice counts the others: `count` in its `payload`. Needs the scope `feeds:read`; for keys and sessions, for a workspace. */
  readonly listNotifications: (request?: ListNotificationsRequest) => Promise<NotificationList>
  /** Mark notifications as read. Marks notices as read for the workspace: those named, or all that there are. Notices posted meanwhile stay unread. Ids of notices that the workspace does not see change nothing. Needs the scope `feeds:write`; for keys and sessions, for a workspace. */
  readonly markNotificationsRead: (request?: MarkNotificationsReadRequest) => Promise<UnreadCount>
}

/** The calls of `client.activity`. */
export interface ActivityCalls {
  /** List activity. The activity of the workspace, newest first; for organization keys, owners and admins also that of the organization itself. Filters combine freely. Entries that exist when the first page is read come exactly once, even if others are recorded meanwhile. An entry has the time at which it was done and is there once its transaction is committed, so one of a slow transaction can come in a little below the newest. Needs the scope `feeds:read`; for keys and sessions, for a workspace. */
  readonly listActivity: (request?: ListActivityRequest) => Promise<ActivityPage>
}

/** The lists of `client.items.auth`. */
export interface AuthItems {
  readonly listApiKeys: (request?: ListApiKeysRequest) => AsyncIterableIterator<ApiKey>
}

/** The lists of `client.items.loginSessions`. */
export interface LoginSessionsItems {
  readonly listLoginSessions: (request?: ListLoginSessionsRequest) => AsyncIterableIterator<LoginSession>
}

/** The lists of `client.items.orgKeys`. */
export interface OrgKeysItems {
  readonly listOrgApiKeys: (request?: ListOrgApiKeysRequest) => AsyncIterableIterator<ApiKey>
}

/** The lists of `client.items.workspaces`. */
export interface WorkspacesItems {
  readonly listReachableWorkspaces: (request?: ListReachableWorkspacesRequest) => AsyncIterableIterator<ReachableWorkspace>
  readonly listWorkspaces: (request?: ListWorkspacesRequest) => AsyncIterableIterator<Workspace>
}

/** The lists of `client.items.members`. */
export interface MembersItems {
  readonly listMembers: (request?: ListMembersRequest) => AsyncIterableIterator<Member>
}

/** The lists of `client.items.agents`. */
export interface AgentsItems {
  readonly listAgents: (request?: ListAgentsRequest) => AsyncIterableIterator<Agent>
  readonly listAgentVersions: (request: ListAgentVersionsRequest) => AsyncIterableIterator<AgentVersion>
}

/** The lists of `client.items.runs`. */
export interface RunsItems {
  readonly listRuns: (request?: ListRunsRequest) => AsyncIterableIterator<Run>
  readonly getRunLog: (request: GetRunLogRequest) => AsyncIterableIterator<RunEvent>
}

/** The lists of `client.items.schedules`. */
export interface SchedulesItems {
  readonly listSchedules: (request?: ListSchedulesRequest) => AsyncIterableIterator<Schedule>
}

/** The lists of `client.items.analytics`. */
export interface AnalyticsItems {
  readonly listRunRequests: (request: ListRunRequestsRequest) => AsyncIterableIterator<RunRequest>
}

/** The lists of `client.items.byok`. */
export interface ByokItems {
  readonly listProviderKeys: (request?: ListProviderKeysRequest) => AsyncIterableIterator<ProviderKey>
}

/** The lists of `client.items.toolSecrets`. */
export interface ToolSecretsItems {
  readonly listToolSecrets: (request?: ListToolSecretsRequest) => AsyncIterableIterator<ToolSecret>
}

/** The lists of `client.items.orgToolSecrets`. */
export interface OrgToolSecretsItems {
  readonly listToolSecretTemplates: (request?: ListToolSecretTemplatesRequest) => AsyncIterableIterator<ToolSecretTemplate>
  readonly listToolSecretTemplateWorkspaces: (request: ListToolSecretTemplateWorkspacesRequest) => AsyncIterableIterator<TemplateWorkspace>
}

/** The lists of `client.items.orgProviderKeys`. */
export interface OrgProviderKeysItems {
  readonly listProviderKeyTemplates: (request?: ListProviderKeyTemplatesRequest) => AsyncIterableIterator<ProviderKeyTemplate>
  readonly listProviderKeyTemplateWorkspaces: (request: ListProviderKeyTemplateWorkspacesRequest) => AsyncIterableIterator<TemplateWorkspace>
}

/** The lists of `client.items.orgAgentTemplates`. */
export interface OrgAgentTemplatesItems {
  readonly listAgentTemplates: (request?: ListAgentTemplatesRequest) => AsyncIterableIterator<AgentTemplate>
  readonly listAgentTemplateWorkspaces: (request: ListAgentTemplateWorkspacesRequest) => AsyncIterableIterator<TemplateWorkspace>
}

/** The lists of `client.items.sessions`. */
export interface SessionsItems {
  readonly listSessions: (request?: ListSessionsRequest) => AsyncIterableIterator<SessionSummary>
  readonly listMessages: (request: ListMessagesRequest) => AsyncIterableIterator<Message>
}

/** The lists of `client.items.webhooks`. */
export interface WebhooksItems {
  readonly listEndpoints: (request?: ListEndpointsRequest) => AsyncIterableIterator<Endpoint>
  readonly listAllReplays: (request?: ListAllReplaysRequest) => AsyncIterableIterator<Replay>
  readonly listReplays: (request: ListReplaysRequest) => AsyncIterableIterator<Replay>
  readonly listDeliveries: (request: ListDeliveriesRequest) => AsyncIterableIterator<Delivery>
}

/** The lists of `client.items.activity`. */
export interface ActivityItems {
  readonly listActivity: (request?: ListActivityRequest) => AsyncIterableIterator<ActivityEntry>
}

/** Every operation: `client.runs.triggerRun({ body })`. */
export interface Calls {
  readonly auth: AuthCalls
  readonly login: LoginCalls
  readonly loginSessions: LoginSessionsCalls
  readonly orgKeys: OrgKeysCalls
  readonly workspaces: WorkspacesCalls
  readonly erasures: ErasuresCalls
  readonly members: MembersCalls
  readonly agents: AgentsCalls
  readonly hooks: HooksCalls
  readonly runs: RunsCalls
  readonly schedules: SchedulesCalls
  readonly analytics: AnalyticsCalls
  readonly byok: ByokCalls
  readonly toolSecrets: ToolSecretsCalls
  readonly orgToolSecrets: OrgToolSecretsCalls
  readonly orgProviderKeys: OrgProviderKeysCalls
  readonly orgAgentTemplates: OrgAgentTemplatesCalls
  readonly sessions: SessionsCalls
  readonly webhooks: WebhooksCalls
  readonly notifications: NotificationsCalls
  readonly activity: ActivityCalls
}

/** Every list, item by item over all of its pages: `client.items.runs.listRuns()`. */
export interface Items {
  readonly auth: AuthItems
  readonly loginSessions: LoginSessionsItems
  readonly orgKeys: OrgKeysItems
  readonly workspaces: WorkspacesItems
  readonly members: MembersItems
  readonly agents: AgentsItems
  readonly runs: RunsItems
  readonly schedules: SchedulesItems
  readonly analytics: AnalyticsItems
  readonly byok: ByokItems
  readonly toolSecrets: ToolSecretsItems
  readonly orgToolSecrets: OrgToolSecretsItems
  readonly orgProviderKeys: OrgProviderKeysItems
  readonly orgAgentTemplates: OrgAgentTemplatesItems
  readonly sessions: SessionsItems
  readonly webhooks: WebhooksItems
  readonly activity: ActivityItems
}
