import { type SealedValue, toPage } from "@agent-platform/kernel"
import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { type Agent, endpointSecretPlace, isLive, mcpHeadersPlace } from "../Agent.ts"
import { AGENT_VERSIONS_MAX, type AgentVersion, versionOf } from "../AgentVersion.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { sealedPage } from "./sealedPage.ts"

/** Every sealed value of an agent. A position is the agent's id and which of its values it is. */
const sealedValues = (agent: Agent): ReadonlyArray<SealedValue> => [
  ...(agent.endpoint === null
    ? []
    : [
        {
          position: `${agent.id}/endpoint`,
          place: endpointSecretPlace(agent),
          sealed: agent.endpoint.sealedSecret
        },
        ...(agent.endpoint.retiring === null
          ? []
          : [
              {
                position: `${agent.id}/retiring`,
                place: endpointSecretPlace(agent),
                sealed: agent.endpoint.retiring.sealed
              }
            ])
      ]),
  ...agent.mcpServers.flatMap((server) =>
    server.sealedHeaders === null
      ? []
      : [
          {
            position: `${agent.id}/server/${server.name}`,
            place: mcpHeadersPlace(agent, server),
            sealed: server.sealedHeaders
          }
        ]
  )
]

/** The agent with another text in the place of a value that it has. */
const withResealed = (agent: Agent, { place, position }: SealedValue, resealed: string): Agent => {
  const { endpoint } = agent
  if (endpoint?.retiring != null && position.endsWith("/retiring")) {
    return { ...agent, endpoint: { ...endpoint, retiring: { ...endpoint.retiring, sealed: resealed } } }
  }
  if (endpoint !== null && place === endpointSecretPlace(agent)) {
    return { ...agent, endpoint: { ...endpoint, sealedSecret: resealed } }
  }
  const mcpServers = agent.mcpServers.map((server) =>
    place === mcpHeadersPlace(agent, server) ? { ...server, sealedHeaders: resealed } : server
  )
  return { ...agent, mcpServers }
}

/** Agents over a `MemoryDatabase`. */
export const layerAgentStore = layerMemory(AgentStore)((database) => {
  const agents = database.table<Agent>("agent")
  const versions = database.table<AgentVersion>("agent_version")
  const placeOf = (id: string, version: number) => `${id} ${version}`

  /** Keeps the agent's version, and forgets the one that is too old then. */
  const keepVersion = Effect.fnUntraced(function* (agent: Agent) {
    const place = placeOf(agent.id, agent.version)
    if ((yield* versions.get(place)) === undefined) yield* versions.put(place, versionOf(agent))
    yield* versions.remove(placeOf(agent.id, agent.version - AGENT_VERSIONS_MAX))
  })
  const recall: AgentStore["Service"]["recall"] = (workspaceId, id) =>
    Effect.map(agents.get(id), (agent) => (agent?.workspaceId === workspaceId ? agent : undefined))
  const find: AgentStore["Service"]["find"] = (workspaceId, id) =>
    Effect.map(recall(workspaceId, id), (agent) => (agent !== undefined && isLive(agent) ? agent : undefined))
  return {
    holdCount: (workspaceId, max) =>
      Effect.map(agents.all, (all) => {
        const live = all.filter((agent) => agent.workspaceId === workspaceId && isLive(agent))
        return Math.min(live.length, max)
      }),
    insert: (agent) => Effect.andThen(agents.put(agent.id, agent), keepVersion(agent)),
    find,
    recall,
    // Transactions in memory run one after another, so nothing has to be locked.
    hold: recall,
    holdLive: (asked) => Effect.forEach(asked, ({ id, workspaceId }) => find(workspaceId, id)),
    update: (agent) => Effect.andThen(agents.put(agent.id, agent), keepVersion(agent)),
    list: (workspaceId, page) =>
      Effect.map(agents.all, (all) => {
        const mine = all
          .filter((agent) => agent.workspaceId === workspaceId && isLive(agent))
          .filter((agent) => page.before === undefined || agent.id < page.before)
          .sort((one, two) => (one.id < two.id ? 1 : -1))
        return toPage(mine.slice(0, page.limit + 1), page.limit, (agent) => agent.id)
      }),
    versions: (workspaceId, id, page) =>
      Effect.map(versions.all, (all) => {
        const before = page.before === undefined ? Number.POSITIVE_INFINITY : Number(page.before)
        const kept = all
          .filter((one) => one.workspaceId === workspaceId && one.agentId === id && one.version < before)
          .sort((one, two) => two.version - one.version)
        return toPage(kept.slice(0, page.limit + 1), page.limit, ({ version }) => String(version))
      }),
    names: (workspaceIds, ids) =>
      Effect.map(
        agents.all,
        (all) =>
          new Map(
            all
              .filter((agent) => workspaceIds.includes(agent.workspaceId) && ids.includes(agent.id))
              .map(({ id, name }) => [id, name])
          )
      ),
    sealedSecrets: (after, limit) =>
      Effect.map(agents.all, (all) => sealedPage(all.flatMap(sealedValues), after, limit)),
    replaceSealedSecret: Effect.fnUntraced(function* (value, resealed) {
      const [id = ""] = value.position.split("/")
      const agent = yield* agents.get(id)
      const there = agent && sealedValues(agent).find(({ position }) => position === value.position)
      if (agent === undefined || there?.sealed !== value.sealed) return false
      yield* agents.put(id, withResealed(agent, there, resealed))
      return true
    })
  }
})
