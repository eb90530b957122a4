/** Reads agents, changes them, and triggers their runs. */
import type { Agent, AgentChange, NewAgent, NewAgentWebhook, NewRun } from "@agent-platform/client"
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** Agents that a menu of them can hold. */
const AGENTS_MAX = 200

/** The agents of the workspace, newest first, up to 200. */
export const agentsQuery = ({ client }: Session) =>
  queryOptions({
    queryKey: ["agents", "all"],
    queryFn: async ({ signal }) => {
      const found: Array<Agent> = []
      for await (const agent of client.items.agents.listAgents({ signal })) {
        if (found.push(agent) >= AGENTS_MAX) break
      }
      return found
    },
    staleTime: 60_000
  })

/** The agents of the workspace, page after page. */
export const agentListQuery = ({ client }: Session) =>
  infiniteQueryOptions({
    queryKey: ["agents", "list"],
    queryFn: ({ pageParam, signal }) =>
      client.agents.listAgents({ query: { limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** One agent. */
export const agentQuery = ({ client }: Session, agentId: string) =>
  queryOptions({
    queryKey: ["agents", "one", agentId],
    queryFn: ({ signal }) => client.agents.getAgent({ params: { agent_id: agentId }, signal })
  })

/** How often an inbound webhook is read: nothing streams its requests, and somebody who has just sent one waits to see it. */
const WEBHOOK_MILLIS = 2_000

/** An agent's inbound webhook alone: with the agent read so often, a change by others would replace the form in which somebody edits it. */
export const agentWebhookQuery = ({ client }: Session, agentId: string) =>
  queryOptions({
    queryKey: ["agents", "webhook", agentId],
    queryFn: async ({ signal }) => (await client.agents.getAgent({ params: { agent_id: agentId }, signal })).webhook,
    refetchInterval: WEBHOOK_MILLIS
  })

/** The versions of an agent that are kept, the latest first, page after page. */
export const agentVersionsQuery = ({ client }: Session, agentId: string) =>
  infiniteQueryOptions({
    queryKey: ["agents", "one", agentId, "versions"],
    queryFn: ({ pageParam, signal }) =>
      client.agents.listAgentVersions({
        params: { agent_id: agentId },
        query: { limit: PAGE_SIZE, cursor: pageParam },
        signal
      }),
    ...paging
  })

/** Makes an agent. */
export const createAgent = ({ client }: Session, body: NewAgent) => client.agents.createAgent({ body })

/** Changes an agent, unless somebody else has changed it since it was read. */
export const updateAgent = ({ client }: Session, { agent_id, version }: Agent, body: AgentChange) =>
  client.agents.updateAgent({ params: { agent_id }, body, headers: { "If-Match": String(version) } })

/** Archives an agent, which the API calls deleting it. */
export const archiveAgent = ({ client }: Session, agentId: string) =>
  client.agents.deleteAgent({ params: { agent_id: agentId } })

/** Makes an agent's inbound webhook; its address and its secret are in the answer. */
export const createAgentWebhook = ({ client }: Session, agentId: string, body: NewAgentWebhook) =>
  client.agents.createAgentWebhook({ params: { agent_id: agentId }, body })

/** Ends an agent's inbound webhook. */
export const deleteAgentWebhook = ({ client }: Session, agentId: string) =>
  client.agents.deleteAgentWebhook({ params: { agent_id: agentId } })

/** Triggers a run. */
export const triggerRun = ({ client }: Session, body: NewRun) => client.runs.triggerRun({ body })
