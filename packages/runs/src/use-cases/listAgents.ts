import type { PageRequest, WorkspaceCaller } from "@agent-platform/kernel"
import { Effect } from "effect"
import { AgentStore } from "../ports/AgentStore.ts"

/** The workspace's agents, newest first. Spec: Agents. */
export const listAgents = Effect.fn("runs.listAgents")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly page: PageRequest
}) {
  const store = yield* AgentStore
  return yield* store.list(query.caller.workspaceId, query.page)
})
