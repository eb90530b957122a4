import {
  freshId,
  type IdempotencyRequest,
  idempotently,
  UnitOfWork,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { type Agent, AgentId, AgentNotFound, RecipeUnknown } from "../Agent.ts"
import { AgentRunner } from "../ports/AgentRunner.ts"
import { AgentStore } from "../ports/AgentStore.ts"

export interface CreateAgent
  extends Pick<Agent, "name" | "recipe">,
    Partial<Pick<Agent, "description" | "recipes" | "model" | "instructions" | "maxCostUsd">> {
  readonly caller: WorkspaceCaller
  readonly idempotency?: IdempotencyRequest | undefined
}

/** Creates an agent. Fails with RecipeUnknown when one of its recipes is not registered here. */
export const createAgent = Effect.fn("runs.createAgent")(function* (command: CreateAgent) {
  const { caller, idempotency, ...named } = command
  const settings = { description: null, recipes: [], model: null, instructions: null, maxCostUsd: null, ...named }
  const store = yield* AgentStore
  const unit = yield* UnitOfWork
  const { recipes } = yield* AgentRunner
  const unknown = [settings.recipe, ...settings.recipes].find((recipe) => !recipes.has(recipe))

  const create = Effect.gen(function* () {
    if (unknown !== undefined) return yield* new RecipeUnknown({ recipe: unknown })
    const createdAt = yield* DateTime.now
    const agent: Agent = {
      id: yield* freshId(AgentId),
      organizationId: caller.organizationId,
      workspaceId: caller.workspaceId,
      ...settings,
      version: 1,
      createdAt,
      updatedAt: createdAt
    }
    yield* store.insert(agent)
    return agent
  })

  return yield* unit.atomic(
    idempotently(idempotency, {
      create,
      idOf: (agent) => agent.id,
      find: (id) =>
        Effect.flatMap(store.find(caller.workspaceId, AgentId.make(id)), (agent) =>
          agent === undefined ? Effect.fail(new AgentNotFound()) : Effect.succeed(agent)
        )
    })
  )
})
