import {
  atomic,
  createdBefore,
  freshId,
  type IdempotencyRequest,
  idempotently,
  QuotaExceeded,
  Quotas,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted, type Schema } from "effect"
import {
  Agent,
  type AgentEndpoint,
  AgentFlawed,
  AgentId,
  type AgentSettings,
  EndpointMissing,
  HTTP_RECIPE,
  offers,
  RecipeUnknown
} from "../Agent.ts"
import { recordAgentAct } from "../activity.ts"
import { admitUrls } from "../admitUrls.ts"
import {
  freshEndpoint,
  type GivenEndpoint,
  type GivenMcpServer,
  sealServers,
  withKeptHeaders
} from "../agentSecrets.ts"
import type { AgentWithWebhook } from "../InboundWebhook.ts"
import { type Given, type ModelSettings, withGiven } from "../ModelSettings.ts"
import { AgentRunner, type RecipeSettings } from "../ports/AgentRunner.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { storable } from "../storable.ts"
import { demandSchemas } from "./demandSchemas.ts"
import { readAgent } from "./readAgent.ts"

/** The settings of an agent as a caller gives them. */
export interface GivenSettings extends Omit<AgentSettings, "endpoint" | "mcpServers" | "modelSettings"> {
  readonly endpoint: GivenEndpoint | null
  readonly mcpServers: ReadonlyArray<GivenMcpServer>
  /** One that is null is taken away, and those that are left out stay. */
  readonly modelSettings: Given<ModelSettings>
}

export interface CreateAgent extends Partial<Omit<GivenSettings, "name" | "recipe">> {
  readonly name: string
  readonly recipe: string
  readonly caller: WorkspaceCaller
  readonly idempotency?: IdempotencyRequest | undefined
}

/** The agent as it is now, and the signing secret of its endpoint where that was just made: it is shown only once. */
export interface WrittenAgent extends AgentWithWebhook {
  readonly endpointSecret: Redacted.Redacted | null
}

/** Settings that are JSON, with text that every store takes. */
export const storableSettings = <
  Settings extends Partial<Pick<AgentSettings, "functionTools" | "inputSchema" | "modelSettings">>
>(
  settings: Settings
): Settings => {
  const { functionTools, inputSchema, modelSettings } = settings
  const given = Object.entries({ functionTools, inputSchema, modelSettings }).filter(([, value]) => value !== undefined)
  return { ...settings, ...(storable(Object.fromEntries(given) as Schema.JsonObject) as object) }
}

/** Fails unless every recipe of the agent is registered here and has what it needs. */
export const demandRecipes = Effect.fnUntraced(function* (
  agent: Pick<Agent, "recipe" | "recipes" | keyof RecipeSettings> & {
    readonly endpoint: Pick<AgentEndpoint, "url"> | null
  }
) {
  const { flawOf, recipes } = yield* AgentRunner
  const unknown = [agent.recipe, ...agent.recipes].find((recipe) => !recipes.has(recipe))
  if (unknown !== undefined) return yield* new RecipeUnknown({ recipe: unknown, possible: [...recipes] })
  if (offers(agent, HTTP_RECIPE) && agent.endpoint === null) return yield* new EndpointMissing()
  const [flaw] = [agent.recipe, ...agent.recipes].flatMap((recipe) => flawOf(recipe, agent) ?? [])
  if (flaw !== undefined) return yield* new AgentFlawed(flaw)
})

/**
 * Creates an agent. Fails with RecipeUnknown when one of its recipes is not registered here, EndpointMissing when the
 * recipe `http` has nobody to call, AgentFlawed when another cannot work with its settings or nothing can be checked by one of
 * its schemas, AgentUrlRefused, or QuotaExceeded. Spec: Agents.
 */
export const createAgent = useCase("runs.createAgent")(function* (command: CreateAgent) {
  const { caller, endpoint = null, idempotency, mcpServers = [], modelSettings = {}, ...settings } = command
  const store = yield* AgentStore
  yield* demandSchemas(command)
  // A replay does not depend on where the hosts' names lead by now.
  if ((yield* createdBefore(idempotency)) === undefined) yield* admitUrls({ endpoint, mcpServers })
  const { organizationId, workspaceId } = caller
  const identity = { id: yield* freshId(AgentId), organizationId, workspaceId }
  const fresh = endpoint === null ? undefined : yield* freshEndpoint(identity, endpoint.url)
  const servers = yield* sealServers(identity, mcpServers)

  const create = Effect.gen(function* () {
    const createdAt = yield* DateTime.now
    const given = storableSettings({ ...settings, modelSettings: withGiven<ModelSettings>({}, modelSettings) })
    const places = { endpoint: fresh?.endpoint ?? null, mcpServers: withKeptHeaders(servers, []) }
    const agent = Agent.created(identity, { ...given, ...places }, createdAt)
    yield* demandRecipes(agent)
    const { agents: limit } = yield* Quotas
    if ((yield* store.holdCount(workspaceId, limit)) >= limit) {
      return yield* new QuotaExceeded({ quota: "agents", of: "workspace", limit })
    }
    yield* store.insert(agent)
    yield* recordAgentAct(caller, "created", agent, { name: agent.name, recipe: agent.recipe })
    const written: WrittenAgent = { agent, webhook: null, endpointSecret: fresh?.secret ?? null }
    return written
  })

  return yield* atomic(
    idempotently(idempotency, {
      create,
      idOf: ({ agent }) => agent.id,
      find: (id) =>
        Effect.map(
          readAgent({ caller, agentId: AgentId.make(id) }),
          (found): WrittenAgent => ({ ...found, endpointSecret: null })
        )
    })
  )
})
