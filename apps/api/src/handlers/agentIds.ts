import { parseId } from "@agent-platform/kernel"
import { AgentId } from "@agent-platform/runs"
import { Effect } from "effect"
import { notFound } from "../edge/problems.ts"

/** The agent's id in a path; one that is not well formed is nobody's. */
export const agentIdOf = (params: { readonly agent_id: string }) => {
  const id = parseId(AgentId, params.agent_id)
  return id === undefined ? Effect.fail(notFound()) : Effect.succeed(id)
}
