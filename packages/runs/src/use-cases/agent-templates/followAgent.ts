import {
  type Following,
  type FollowTemplate,
  freshId,
  makeFollower,
  openTemplate,
  SecretBox,
  templateActor
} from "@agent-platform/kernel"
import { DateTime, Effect, Redacted, Result, String as Text } from "effect"
import {
  Agent,
  type AgentEndpoint,
  AgentId,
  agentDifferences,
  endpointSecretPlace,
  isLive,
  mcpHeadersPlace
} from "../../Agent.ts"
import { type AgentTemplateSettings, agentTemplateSecrets, agentTemplateSettings } from "../../AgentTemplate.ts"
import { recordAgentAct } from "../../activity.ts"
import type { ModelSettings } from "../../ModelSettings.ts"
import { AgentStore } from "../../ports/AgentStore.ts"
import { demandRecipes } from "../createAgent.ts"

type Identity = Pick<Agent, "id" | "workspaceId">

/** Endpoint and servers of a template with its secrets, sealed for an agent. */
const placesFor = Effect.fnUntraced(function* (agent: Identity, given: FollowTemplate) {
  const box = yield* SecretBox
  const settings = agentTemplateSettings(given.template)
  const secrets = agentTemplateSecrets(yield* openTemplate(given))
  const now = yield* DateTime.now
  const sealSecret = (secret: string) => box.seal(endpointSecretPlace(agent), Redacted.make(secret))
  const sealEndpoint = Effect.fnUntraced(function* (url: string) {
    if (secrets.endpoint === null) return null
    const { retiring, secret } = secrets.endpoint
    const expiresAt = retiring && DateTime.makeUnsafe(retiring.expiresAt)
    const isLiving = expiresAt !== null && DateTime.isGreaterThan(expiresAt, now)
    const endpoint: AgentEndpoint = {
      url,
      sealedSecret: yield* sealSecret(secret),
      retiring: retiring !== null && isLiving ? { sealed: yield* sealSecret(retiring.secret), expiresAt } : null
    }
    return endpoint
  })
  const mcpServers = yield* Effect.forEach(settings.mcpServers, ({ name, tools, url }) => {
    const headers = secrets.headers[name]
    const sealing =
      headers === undefined
        ? Effect.succeed(null)
        : box.seal(mcpHeadersPlace(agent, { name }), Redacted.make(JSON.stringify(headers)))
    return Effect.map(sealing, (sealedHeaders) => ({ name, url, tools, sealedHeaders }))
  })
  const endpoint = settings.endpoint === null ? null : yield* sealEndpoint(settings.endpoint.url)
  return { endpoint, mcpServers }
})

const plainOf = ({ endpoint, mcpServers, ...plain }: AgentTemplateSettings) => plain

const callerOf = (given: FollowTemplate) => ({ ...given.workspace, actor: templateActor(given) })

/** Makes the workspace's agent out of the template. */
const begin = Effect.fnUntraced(function* (given: FollowTemplate) {
  const store = yield* AgentStore
  const identity = { id: yield* freshId(AgentId), ...given.workspace }
  const settings = { ...plainOf(agentTemplateSettings(given.template)), ...(yield* placesFor(identity, given)) }
  const agent = Agent.created(identity, settings, yield* DateTime.now)
  yield* store.insert(agent)
  const { name, recipe } = agent
  yield* recordAgentAct(callerOf(given), "created", agent, { name, recipe, template_id: given.template.id })
  return { resourceId: agent.id, fault: null }
})

/** The settings that the agent is to have: the template's where it follows the template in them, else its own. */
const settingsAfter = (agent: Agent, settings: AgentTemplateSettings, follows: Following["follows"]) => {
  const chosen = <Members extends object>(own: Members, given: Members): Members => {
    const names = Object.keys({ ...own, ...given }) as Array<string & keyof Members>
    const after = names.map((name) => [name, follows(Text.camelToSnake(name)) ? given[name] : own[name]] as const)
    return Object.fromEntries(after.filter(([, value]) => value !== undefined)) as Members
  }
  const { modelSettings, ...plain } = plainOf(settings)
  const own = Object.fromEntries(Object.keys(plain).map((name) => [name, agent[name as keyof typeof plain]]))
  return {
    ...chosen(own as typeof plain, plain),
    modelSettings: chosen<ModelSettings>(agent.modelSettings, modelSettings)
  }
}

/** Endpoint and servers that the agent is to have: the template's where it follows the template in them, else its own. */
const placesAfter = Effect.fnUntraced(function* (agent: Agent, following: Following) {
  const { follows, hasNewValue, template } = following
  if (hasNewValue) {
    const { endpoint, mcpServers } = yield* placesFor(agent, following)
    return {
      endpoint: follows("endpoint") ? endpoint : agent.endpoint,
      mcpServers: follows("mcp_servers") ? mcpServers : agent.mcpServers
    }
  }
  // The template has the same secrets and URLs as before, so the agent keeps its own sealed ones, and tools alone may be others.
  const toolsOf = new Map(agentTemplateSettings(template).mcpServers.map(({ name, tools }) => [name, tools]))
  const { endpoint, mcpServers } = agent
  if (!follows("mcp_servers")) return { endpoint, mcpServers }
  return { endpoint, mcpServers: mcpServers.map((one) => ({ ...one, tools: toolsOf.get(one.name) ?? null })) }
})

/** Changes the agent as its template was changed; answers a conflict where no recipe could work with what the agent would have. */
const goOn = Effect.fnUntraced(function* (following: Following) {
  const { follows, resourceId, template, workspace } = following
  const store = yield* AgentStore
  const before = yield* store.hold(workspace.workspaceId, AgentId.make(resourceId))
  if (before === undefined || !isLive(before)) return null
  const settings = settingsAfter(before, agentTemplateSettings(template), follows)
  const places = yield* placesAfter(before, following)
  const after = Agent.changed(before, { ...settings, ...places }, yield* DateTime.now)
  if (after === before) return null
  if (Result.isFailure(yield* Effect.result(demandRecipes(after)))) return "conflict"
  yield* store.update(after)
  const changed = agentDifferences(before, after)
  const payload = { version: after.version, changed: [...changed], template_id: template.id }
  yield* recordAgentAct(callerOf(following), "updated", after, payload)
  return null
})

/** How the agents of workspaces follow a template. */
export const followAgent = makeFollower({
  quota: "agents",
  holdCount: (workspaceId, max) => AgentStore.use((store) => store.holdCount(workspaceId, max)),
  begin,
  goOn
})
