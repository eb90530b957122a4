import { atomic, Overrides, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import {
  Agent,
  type AgentId,
  AgentNotFound,
  AgentVersionConflict,
  agentDifferences,
  ENDPOINT_GRACE_SECONDS_DEFAULT,
  isLive
} from "../Agent.ts"
import { recordAgentAct } from "../activity.ts"
import { admitUrls } from "../admitUrls.ts"
import { freshEndpoint, sealServers, withKeptHeaders } from "../agentSecrets.ts"
import { withGiven } from "../ModelSettings.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"
import { demandRecipes, type GivenSettings, storableSettings, type WrittenAgent } from "./createAgent.ts"
import { demandSchemas } from "./demandSchemas.ts"

export interface UpdateAgent {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId
  /** The settings that change; those left out stay. */
  readonly settings: Partial<GivenSettings>
  /** The version that the change is meant for; any unless named. */
  readonly version?: number | undefined
}

const urlsOf = (agent: Agent): ReadonlySet<string> =>
  new Set([...agent.mcpServers.map(({ url }) => url), ...(agent.endpoint === null ? [] : [agent.endpoint.url])])

/**
 * Changes an agent; runs that have not begun yet are executed as it is then. A new URL of the endpoint gets a new secret; one that is
 * rotated signs on for its grace.
 * Fails with AgentNotFound, AgentVersionConflict, RecipeUnknown, EndpointMissing, AgentFlawed or AgentUrlRefused.
 */
export const updateAgent = useCase("runs.updateAgent")(function* (command: UpdateAgent) {
  const { agentId, caller, settings, version } = command
  const { endpoint, mcpServers, modelSettings = {}, ...plain } = settings
  const { workspaceId } = caller
  const store = yield* AgentStore
  const webhooks = yield* InboundWebhookStore

  const demandVersion = (agent: Agent) =>
    version === undefined || version === agent.version
      ? Effect.void
      : Effect.fail(new AgentVersionConflict({ version: agent.version }))

  // URLs are resolved outside of the transaction, so the agent is read twice: here, and once more under its lock.
  const unlocked = yield* store.find(workspaceId, agentId)
  if (unlocked === undefined) return yield* new AgentNotFound()
  yield* demandVersion(unlocked)
  yield* demandSchemas(settings)
  yield* admitUrls({ endpoint, mcpServers }, urlsOf(unlocked))
  const fresh = endpoint == null ? undefined : yield* freshEndpoint(unlocked, endpoint.url)
  const servers = mcpServers === undefined ? undefined : yield* sealServers(unlocked, mcpServers)

  /** The endpoint that the agent is to have, and its secret where that is a new one. */
  const endpointAfter = (
    before: Agent,
    now: DateTime.Utc
  ): Pick<Agent, "endpoint"> & { readonly secret: Redacted.Redacted | null } => {
    if (endpoint === undefined) return { endpoint: before.endpoint, secret: null }
    if (fresh === undefined) return { endpoint: null, secret: null }
    // Another URL may be somebody else's: the old secret signs nothing that is sent there.
    if (before.endpoint?.url !== fresh.endpoint.url) return fresh
    if (endpoint?.rotateSecret !== true) return { endpoint: before.endpoint, secret: null }
    const { graceSeconds: seconds = ENDPOINT_GRACE_SECONDS_DEFAULT } = endpoint
    const expiresAt = DateTime.add(now, { seconds })
    const retiring = seconds === 0 ? null : { sealed: before.endpoint.sealedSecret, expiresAt }
    return { endpoint: { ...fresh.endpoint, retiring }, secret: fresh.secret }
  }

  return yield* atomic(
    Effect.gen(function* () {
      // Before the agent itself, which is the order in which a template locks them.
      const noteOverrides = yield* Overrides.use((overrides) => overrides.hold(workspaceId, agentId))
      const before = yield* store.hold(workspaceId, agentId)
      if (before === undefined || !isLive(before)) return yield* new AgentNotFound()
      yield* demandVersion(before)
      const now = yield* DateTime.now
      const chosen = endpointAfter(before, now)
      const after = Agent.changed(
        before,
        {
          ...storableSettings({ ...plain, modelSettings: withGiven(before.modelSettings, modelSettings) }),
          endpoint: chosen.endpoint,
          ...(servers === undefined ? {} : { mcpServers: withKeptHeaders(servers, before.mcpServers) })
        },
        now
      )
      yield* demandRecipes(after)
      const [webhook] = yield* webhooks.ofAgents(workspaceId, [agentId])
      const written: WrittenAgent = { agent: after, webhook: webhook ?? null, endpointSecret: chosen.secret }
      if (after === before) return written
      yield* store.update(after)
      const changed = agentDifferences(before, after)
      yield* noteOverrides(changed)
      yield* recordAgentAct(caller, "updated", after, { version: after.version, changed })
      return written
    })
  )
})
