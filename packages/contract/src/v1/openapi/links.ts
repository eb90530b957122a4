/** The next steps with what an operation has made: links of the document, from members of the answer to paths. */
import type { Json } from "./shapes.ts"

/** The operations that go on from one, each with the member of the answer that its path takes. */
const LINKS: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  triggerRun: {
    getRun: { run_id: "run_id" },
    getRunLog: { run_id: "run_id" },
    getRunRecord: { run_id: "run_id" },
    replyToSession: { session_id: "session_id" },
    cancelSession: { session_id: "session_id" }
  },
  replyToSession: { getRun: { run_id: "run_id" }, getRunLog: { run_id: "run_id" } },
  receiveHook: { getRun: { run_id: "run_id" } },
  createAgent: {
    getAgent: { agent_id: "agent_id" },
    updateAgent: { agent_id: "agent_id" },
    createAgentWebhook: { agent_id: "agent_id" }
  },
  createApiKey: { rotateApiKey: { key_id: "id" }, revokeApiKey: { key_id: "id" } },
  createOrgApiKey: { rotateOrgApiKey: { key_id: "id" }, revokeOrgApiKey: { key_id: "id" } },
  createWorkspace: { updateWorkspace: { workspace_id: "id" } },
  inviteMember: { removeMember: { member_id: "id" } },
  registerProviderKey: { validateProviderKey: { provider: "id" }, revokeProviderKey: { provider: "id" } },
  createSchedule: {
    getSchedule: { schedule_id: "id" },
    updateSchedule: { schedule_id: "id" },
    deleteSchedule: { schedule_id: "id" }
  },
  createToolSecret: {
    getToolSecret: { secret_id: "id" },
    updateToolSecret: { secret_id: "id" },
    deleteToolSecret: { secret_id: "id" }
  },
  createToolSecretTemplate: {
    getToolSecretTemplate: { template_id: "id" },
    updateToolSecretTemplate: { template_id: "id" },
    deleteToolSecretTemplate: { template_id: "id" },
    listToolSecretTemplateWorkspaces: { template_id: "id" }
  },
  createProviderKeyTemplate: {
    getProviderKeyTemplate: { template_id: "id" },
    updateProviderKeyTemplate: { template_id: "id" },
    revokeProviderKeyTemplate: { template_id: "id" },
    deleteProviderKeyTemplate: { template_id: "id" },
    listProviderKeyTemplateWorkspaces: { template_id: "id" }
  },
  createAgentTemplate: {
    getAgentTemplate: { template_id: "id" },
    updateAgentTemplate: { template_id: "id" },
    deleteAgentTemplate: { template_id: "id" },
    listAgentTemplateWorkspaces: { template_id: "id" }
  },
  registerEndpoint: {
    getEndpoint: { endpoint_id: "id" },
    testEndpoint: { endpoint_id: "id" },
    listDeliveries: { endpoint_id: "id" }
  },
  startReplay: { readReplay: { replay_id: "id" } }
}

/** The links of the good answers of an operation; undefined where it leads nowhere. */
export const linksOf = (operationId: string): Json | undefined => {
  const links = LINKS[operationId]
  if (links === undefined) return undefined
  return Object.fromEntries(
    Object.entries(links).map(([to, members]) => [
      to,
      {
        operationId: to,
        parameters: Object.fromEntries(
          Object.entries(members).map(([parameter, member]) => [parameter, `$response.body#/${member}`])
        )
      }
    ])
  )
}
