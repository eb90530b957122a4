/** The data of the first `npm start`: an organization, a workspace, a `demo` agent, and a key for each level. */
import { atomic, freshId, OrganizationId, parseId, WorkspaceId } from "@agent-platform/kernel"
import { Keys, Tenancy, TenancyStore } from "@agent-platform/keys"
import { Agent, AgentId, AgentStore } from "@agent-platform/runs"
import { DateTime, Effect, Redacted } from "effect"
import { makeKey } from "./founding.ts"
import { everyPage } from "./operator.ts"

const NAME = "Demo"

/** The members of credentials.json that live in the database. */
export interface DemoCredentials {
  readonly organization_id: string
  readonly org_key: string
  readonly workspace_id: string
  readonly workspace_key: string
  readonly agent_id: string
}

const ensureWorkspace = Effect.gen(function* () {
  const stored = yield* TenancyStore
  const tenancy = yield* Tenancy
  const [organization] = yield* stored.organizationsNamed(NAME, 1)
  if (organization !== undefined) {
    const workspaces = yield* everyPage((page) => stored.listWorkspaces(organization.id, page))
    // The oldest: pages begin with the newest.
    const workspace = workspaces.findLast((candidate) => candidate.name === NAME)
    if (workspace !== undefined) return workspace
  }
  const founded = yield* Effect.orDie(tenancy.foundOrganization({ name: NAME, workspaceName: NAME, timezone: "UTC" }))
  return founded.workspace
})

const ensureAgent = (owner: Pick<Agent, "organizationId" | "workspaceId">) =>
  Effect.gen(function* () {
    const agents = yield* AgentStore
    const all = yield* everyPage((page) => agents.list(owner.workspaceId, page))
    const existing = all.findLast((agent) => agent.name === NAME && agent.recipe === "demo")
    if (existing !== undefined) return existing
    const identity = { id: yield* freshId(AgentId), ...owner }
    const settings = {
      name: NAME,
      recipe: "demo",
      description: "Answers the message, or executes the steps of its input"
    }
    const agent = Agent.created(identity, settings, yield* DateTime.now)
    // Not by `createAgent`, which needs the ports of a deployment that seals secrets and calls others.
    yield* atomic(agents.insert(agent))
    return agent
  })

/** Whether the value is a key that works for exactly this owner. */
const works = (
  value: string,
  owner: { readonly organizationId: OrganizationId; readonly workspaceId: WorkspaceId | null }
) =>
  Keys.use((keys) =>
    keys.authenticate({ credential: Redacted.make(value), workspaceId: undefined, clientAddress: undefined })
  ).pipe(
    Effect.map(({ key }) => key.organizationId === owner.organizationId && key.workspaceId === owner.workspaceId),
    Effect.orElseSucceed(() => false)
  )

/**
 * Makes sure that there is something to try things out with. What `known` names is kept if it exists and works. For a key that does not
 * work a new one is made; the old one stays in the database as it is.
 */
export const ensureDemo = Effect.fn("admin.ensureDemo")(function* (known: DemoCredentials | null) {
  const stored = yield* TenancyStore
  const agents = yield* AgentStore
  const organizationId = known === null ? undefined : parseId(OrganizationId, known.organization_id)
  const workspaceId = known === null ? undefined : parseId(WorkspaceId, known.workspace_id)
  const kept =
    organizationId === undefined || workspaceId === undefined
      ? undefined
      : yield* stored.findWorkspace(organizationId, workspaceId)
  const workspace = kept ?? (yield* ensureWorkspace)
  const ofOrganization = { organizationId: workspace.organizationId, workspaceId: null }
  const ofWorkspace = { organizationId: workspace.organizationId, workspaceId: workspace.id }
  const workingKey = (value: string | undefined, owner: typeof ofOrganization | typeof ofWorkspace, name: string) =>
    Effect.gen(function* () {
      if (value !== undefined && (yield* works(value, owner))) return value
      return (yield* makeKey(owner, name)).value
    })
  const agentId = known === null ? undefined : parseId(AgentId, known.agent_id)
  const agent = agentId === undefined ? undefined : yield* agents.find(workspace.id, agentId)
  return {
    organization_id: workspace.organizationId,
    org_key: yield* workingKey(known?.org_key, ofOrganization, "Demo organization key"),
    workspace_id: workspace.id,
    workspace_key: yield* workingKey(known?.workspace_key, ofWorkspace, "Demo workspace key"),
    agent_id: (agent ?? (yield* ensureAgent(ofWorkspace))).id
  }
})
