/** Who reaches what: a row for every endpoint, written by hand, so that a slip in the contract's own rules shows. */
import type { UnitOfWork } from "@agent-platform/kernel"
import type { LoginStore, MemberStore } from "@agent-platform/keys"
import { Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { openSession, type PersonSession } from "./people.ts"
import { anAgent, type Tenant, TestApi } from "./support.ts"

/** The kinds of callers, each at home in the tenant that is walked. */
export const KINDS = ["workspace key", "organization key", "owner", "admin", "member", "viewer"] as const
export type Kind = (typeof KINDS)[number]

/** The services of fixtures. */
export type FixturePorts = TestApi | LoginStore | MemberStore | UnitOfWork

/** A resource for an endpoint to be about, made afresh in the tenant; answers its id. `person` is the caller, if it is one. */
export type Fixture = (tenant: Tenant, person: PersonSession | undefined) => Effect.Effect<string, never, FixturePorts>

export interface Row {
  /** Those whom the endpoint serves. Everybody else is forbidden, whatever the id. */
  readonly who: ReadonlyArray<Kind>
  /** The resource of the path's first id; undefined for a path without ids. */
  readonly about?: Fixture
  /** Whether another workspace of the organization is as foreign as that of another one. */
  readonly ofWorkspace?: true
  readonly body?: unknown
  /** Headers beside those of the caller. */
  readonly headers?: Readonly<Record<string, string>>
  /** Makes the body, where it names what the path does not; `id` is that of `names`. */
  readonly bodyNaming?: (id: string) => unknown
  readonly names?: Fixture
  /** The status for callers asking about their own resources; 2xx unless given. */
  readonly own?: number
}

const SINCE = "2025-01-21T05:15:00Z"

const made =
  (key: "workspaceKey" | "orgKey", path: string, body: unknown, name = "id"): Fixture =>
  (tenant) =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const answer = yield* api.call("POST", path, { key: tenant[key], body })
      if (answer.status >= 300) return yield* Effect.die(new Error(`${path} answered ${answer.status} ${answer.text}`))
      return String(answer.json[name])
    })

const agent: Fixture = (tenant) => anAgent(tenant)
const run: Fixture = (tenant, person) =>
  Effect.flatMap(anAgent(tenant), (agent_id) =>
    made("workspaceKey", "/api/v1/runs/", { agent_id }, "run_id")(tenant, person)
  )
const runSession: Fixture = (tenant, person) =>
  Effect.flatMap(anAgent(tenant), (agent_id) =>
    made("workspaceKey", "/api/v1/runs/", { agent_id }, "session_id")(tenant, person)
  )
const erasure: Fixture = (tenant, person) =>
  Effect.gen(function* () {
    const api = yield* TestApi
    const key = yield* api.keyWith(tenant, { scopes: ["data:erase"] })
    return String((yield* api.call("DELETE", `/api/v1/runs/${yield* run(tenant, person)}`, { key })).json["id"])
  })
const agentWithWebhook: Fixture = (tenant, person) =>
  Effect.gen(function* () {
    const id = yield* anAgent(tenant)
    yield* made("workspaceKey", `/api/v1/agents/${id}/webhooks`, {}, "url")(tenant, person)
    return id
  })
const aSchedule = (agent_id: string) => ({ agent_id, cron: "0 9 * * *", message: "Walked" })
const schedule: Fixture = (tenant, person) =>
  Effect.flatMap(anAgent(tenant), (id) => made("workspaceKey", "/api/v1/schedules", aSchedule(id))(tenant, person))
const apiKey = made("workspaceKey", "/api/v1/auth/api-keys", { name: "Walked" })
const orgKey = made("orgKey", "/api/v1/org/api-keys", { name: "Walked" })
const providerKey = made("workspaceKey", "/api/v1/byok/openai", { key: "sk-walked-0123456789", validate: false })
const NEW_SECRET = { name: "Walked", host_pattern: "api.example.com", header: "x-api-key", value: "walked-0123456789" }
const toolSecret = made("workspaceKey", "/api/v1/tool-secrets", NEW_SECRET)
const NEW_KEY_TEMPLATE = { provider: "openai", key: "sk-walked-0123456789", validate: false }
const keyTemplate = made("orgKey", "/api/v1/org/provider-keys", NEW_KEY_TEMPLATE)
const agentTemplate = made("orgKey", "/api/v1/org/agent-templates", { name: "Walked" })
const secretTemplate = made("orgKey", "/api/v1/org/tool-secrets", NEW_SECRET)
const endpoint = made("orgKey", "/api/v1/org/webhooks", { url: "https://example.com/" })
const replay: Fixture = (tenant, person) =>
  Effect.flatMap(endpoint(tenant, person), (id) =>
    made("orgKey", `/api/v1/org/webhooks/${id}/replay`, { since: SINCE })(tenant, person)
  )
const workspace = made("orgKey", "/api/v1/org/workspaces", { name: "Walked" })
const member: Fixture = (tenant, person) =>
  made("orgKey", "/api/v1/org/members", { email: `${crypto.randomUUID()}@example.com`, organization_role: "admin" })(
    tenant,
    person
  )
/** Another session of the caller; of a stranger where the caller is not at home. */
const session: Fixture = (_tenant, person) =>
  person === undefined
    ? Effect.succeed(UNKNOWN_ID)
    : Effect.map(openSession(person.member, person.user), (opened) => opened.session.id)

const everybody = KINDS
const writers = KINDS.filter((kind) => kind !== "viewer")
/** Those who handle a workspace's credentials. */
const keepers = writers.filter((kind) => kind !== "member")
/** Those who look after the organization. */
const stewards = keepers.filter((kind) => kind !== "workspace key")
const owners: ReadonlyArray<Kind> = ["owner"]
const people: ReadonlyArray<Kind> = ["owner", "admin", "member", "viewer"]
const organizationKeys: ReadonlyArray<Kind> = ["organization key"]

/** A row for every endpoint that asks who is calling, by group and name. */
export const REACH: Readonly<Record<string, Row>> = {
  "auth.me": { who: everybody },
  "auth.createApiKey": { who: keepers, body: { name: "Walked" } },
  "auth.listApiKeys": { who: everybody },
  "auth.updateApiKey": { who: keepers, about: apiKey, ofWorkspace: true, body: { name: "Walked on" } },
  "auth.rotateApiKey": { who: keepers, about: apiKey, ofWorkspace: true, body: {} },
  "auth.revokeApiKey": { who: keepers, about: apiKey, ofWorkspace: true },
  "workspaces.readWorkspace": { who: everybody },
  "workspaces.listReachableWorkspaces": { who: everybody },
  "orgKeys.createOrgApiKey": { who: stewards, body: { name: "Walked" } },
  "orgKeys.createWebhookGrant": { who: stewards.filter((kind) => kind !== "organization key"), body: {} },
  "orgKeys.listOrgApiKeys": { who: stewards },
  "orgKeys.updateOrgApiKey": { who: stewards, about: orgKey, body: { name: "Walked on" } },
  "orgKeys.rotateOrgApiKey": { who: stewards, about: orgKey, body: {} },
  "orgKeys.revokeOrgApiKey": { who: stewards, about: orgKey },
  "workspaces.createWorkspace": { who: stewards, body: { name: "Walked" } },
  "workspaces.listWorkspaces": { who: stewards },
  "workspaces.updateWorkspace": { who: stewards, about: workspace, body: { name: "Walked on" } },
  "members.inviteMember": {
    who: stewards,
    names: workspace,
    bodyNaming: (workspace_id) => ({
      email: `${crypto.randomUUID()}@example.com`,
      workspaces: [{ workspace_id, role: "viewer" }]
    })
  },
  "members.listMembers": { who: stewards },
  "members.removeMember": { who: stewards, about: member },
  "loginSessions.logout": { who: people },
  "loginSessions.listLoginSessions": { who: people },
  "loginSessions.revokeSession": { who: people, about: session },
  "byok.listProviderKeys": { who: everybody },
  "byok.registerProviderKey": { who: keepers, body: { key: "sk-walked-0123456789", validate: false } },
  "byok.updateProviderKey": { who: keepers, about: providerKey, ofWorkspace: true, body: { name: "Walked on" } },
  "byok.validateProviderKey": { who: keepers, about: providerKey, ofWorkspace: true },
  "byok.revokeProviderKey": { who: keepers, about: providerKey, ofWorkspace: true },
  "toolSecrets.listToolSecrets": { who: everybody },
  "toolSecrets.createToolSecret": { who: keepers, body: NEW_SECRET },
  "toolSecrets.getToolSecret": { who: everybody, about: toolSecret, ofWorkspace: true },
  "toolSecrets.updateToolSecret": { who: keepers, about: toolSecret, ofWorkspace: true, body: { name: "Walked on" } },
  "toolSecrets.deleteToolSecret": { who: keepers, about: toolSecret, ofWorkspace: true },
  "orgToolSecrets.listToolSecretTemplates": { who: stewards },
  "orgToolSecrets.createToolSecretTemplate": { who: stewards, body: NEW_SECRET },
  "orgToolSecrets.getToolSecretTemplate": { who: stewards, about: secretTemplate },
  "orgToolSecrets.updateToolSecretTemplate": { who: stewards, about: secretTemplate, body: { name: "Walked on" } },
  "orgToolSecrets.deleteToolSecretTemplate": { who: stewards, about: secretTemplate },
  "orgToolSecrets.listToolSecretTemplateWorkspaces": { who: stewards, about: secretTemplate },
  "orgProviderKeys.listProviderKeyTemplates": { who: stewards },
  "orgProviderKeys.createProviderKeyTemplate": { who: stewards, body: NEW_KEY_TEMPLATE },
  "orgProviderKeys.getProviderKeyTemplate": { who: stewards, about: keyTemplate },
  "orgProviderKeys.updateProviderKeyTemplate": { who: stewards, about: keyTemplate, body: { name: "Walked on" } },
  "orgProviderKeys.deleteProviderKeyTemplate": { who: stewards, about: keyTemplate },
  "orgProviderKeys.revokeProviderKeyTemplate": { who: stewards, about: keyTemplate },
  "orgProviderKeys.listProviderKeyTemplateWorkspaces": { who: stewards, about: keyTemplate },
  "orgAgentTemplates.listAgentTemplates": { who: stewards },
  "orgAgentTemplates.createAgentTemplate": { who: stewards, body: { name: "Walked" } },
  "orgAgentTemplates.getAgentTemplate": { who: stewards, about: agentTemplate },
  "orgAgentTemplates.updateAgentTemplate": { who: stewards, about: agentTemplate, body: { name: "Walked on" } },
  "orgAgentTemplates.deleteAgentTemplate": { who: stewards, about: agentTemplate },
  "orgAgentTemplates.listAgentTemplateWorkspaces": { who: stewards, about: agentTemplate },
  "agents.listAgents": { who: everybody },
  "agents.createAgent": { who: writers, body: { name: "Walked" } },
  "agents.getAgent": { who: everybody, about: agent, ofWorkspace: true },
  "agents.listAgentVersions": { who: everybody, about: agent, ofWorkspace: true },
  "agents.updateAgent": { who: writers, about: agent, ofWorkspace: true, body: { name: "Walked on" } },
  "agents.deleteAgent": { who: writers, about: agent, ofWorkspace: true },
  "agents.createAgentWebhook": { who: writers, about: agent, ofWorkspace: true, body: {} },
  "agents.deleteAgentWebhook": { who: writers, about: agentWithWebhook, ofWorkspace: true },
  "schedules.listSchedules": { who: everybody },
  "schedules.createSchedule": { who: writers, names: agent, ofWorkspace: true, bodyNaming: aSchedule },
  "schedules.getSchedule": { who: everybody, about: schedule, ofWorkspace: true },
  "schedules.updateSchedule": { who: writers, about: schedule, ofWorkspace: true, body: { enabled: false } },
  "schedules.deleteSchedule": { who: writers, about: schedule, ofWorkspace: true },
  "runs.triggerRun": { who: writers, names: agent, ofWorkspace: true, bodyNaming: (agent_id) => ({ agent_id }) },
  "runs.listRuns": { who: everybody },
  "runs.createRunBrowserKey": { who: everybody, about: run, ofWorkspace: true, body: {} },
  "runs.getRun": { who: everybody, about: run, ofWorkspace: true },
  // Nobody executes runs here, so none has ended.
  "runs.getRunRecord": { who: everybody, about: run, ofWorkspace: true, own: 409 },
  // The stream has no end, but does not begin at a place that there is not.
  "runs.followRuns": {
    who: everybody,
    headers: { accept: "text/event-stream", "last-event-id": "7.7" },
    own: 422
  },
  "runs.getRunLog": { who: everybody, about: run, ofWorkspace: true },
  "analytics.readUsage": { who: everybody },
  "analytics.readHourlyUsage": { who: everybody },
  "analytics.readBillingMonth": { who: everybody },
  "analytics.readRunCosts": { who: everybody, about: run, ofWorkspace: true },
  "analytics.listRunRequests": { who: everybody, about: run, ofWorkspace: true },
  "analytics.readOrganizationUsage": { who: stewards },
  "analytics.readOrganizationHourlyUsage": { who: stewards },
  "analytics.readOrganizationBillingMonth": { who: stewards },
  "sessions.listSessions": { who: everybody },
  "sessions.getSession": { who: everybody, about: runSession, ofWorkspace: true },
  "sessions.createSessionBrowserKey": { who: everybody, about: runSession, ofWorkspace: true, body: {} },
  "sessions.listMessages": { who: everybody, about: runSession, ofWorkspace: true },
  "sessions.replyToSession": { who: writers, about: runSession, ofWorkspace: true, body: { message: "Hello" } },
  "sessions.cancelSession": { who: writers, about: runSession, ofWorkspace: true, body: {} },
  "webhooks.registerEndpoint": { who: organizationKeys, body: { url: "https://example.com/" } },
  "webhooks.listEndpoints": { who: organizationKeys },
  // The stream has no end, but does not begin behind an event that there is not.
  "webhooks.followEvents": {
    who: organizationKeys,
    headers: { accept: "text/event-stream", "last-event-id": UNKNOWN_ID },
    own: 422
  },
  "webhooks.getEndpoint": { who: organizationKeys, about: endpoint },
  "webhooks.updateEndpoint": { who: organizationKeys, about: endpoint, body: { description: "Walked on" } },
  "webhooks.deleteEndpoint": { who: organizationKeys, about: endpoint },
  "webhooks.rotateSecret": { who: organizationKeys, about: endpoint, body: {} },
  "webhooks.testEndpoint": { who: organizationKeys, about: endpoint, body: {} },
  "webhooks.enableEndpoint": { who: organizationKeys, about: endpoint },
  "webhooks.startReplay": { who: organizationKeys, about: endpoint, body: { since: SINCE } },
  "webhooks.listAllReplays": { who: organizationKeys },
  "webhooks.readReplay": { who: organizationKeys, about: replay },
  "webhooks.listReplays": { who: organizationKeys, about: endpoint },
  "webhooks.listDeliveries": { who: organizationKeys, about: endpoint },
  // Nothing was delivered to an endpoint that was just made.
  "webhooks.getDelivery": { who: organizationKeys, about: endpoint, own: 404 },
  "webhooks.replayDelivery": { who: organizationKeys, about: endpoint, own: 404 },
  "notifications.listNotifications": { who: everybody },
  "notifications.markNotificationsRead": { who: writers, body: { all: true } },
  // The stream has no end, but does not begin at a place that there is not.
  "notifications.followNotifications": {
    who: everybody,
    headers: { accept: "text/event-stream", "last-event-id": "7.7" },
    own: 422
  },
  "activity.listActivity": { who: everybody },
  // A key erases only where it was given the scope by name.
  "erasures.eraseRun": { who: owners, about: run, ofWorkspace: true },
  "erasures.eraseSession": { who: owners, about: runSession, ofWorkspace: true },
  "erasures.eraseAgent": { who: owners, about: agent, ofWorkspace: true },
  "erasures.eraseWorkspace": { who: owners, about: workspace },
  "erasures.getErasure": { who: owners, about: erasure, ofWorkspace: true }
}
