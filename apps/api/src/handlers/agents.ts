import { Api } from "@agent-platform/contract"
import { Runs } from "@agent-platform/runs"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { creation, idempotencyOf } from "../idempotency.ts"
import { agentView } from "../views/agentView.ts"
import { canonicalUsd } from "../views/money.ts"

const PATH = "/api/v1/agents"

/** Agents of the workspace. */
export const layerAgents = HttpApiBuilder.group(
  Api,
  "agents",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* Runs
    const cursors = yield* makeCursors
    return handlers.handleAll({
      listAgents: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* workspaceCaller
        const scope = { route: `GET ${PATH}`, owner: caller.workspaceId, filters: {} }
        const before = yield* cursors.read(scope, query.cursor)
        const page = yield* runs.listAgents({ caller, page: { limit: query.limit, before } })
        return { items: page.items.map(agentView), nextCursor: cursors.write(scope, page.next) }
      }),

      createAgent: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* workspaceCaller
        const { description, instructions, maxCostUsd, model, name, recipe } = payload
        const recipes = payload.recipes ?? []
        const created = yield* runs
          .createAgent({
            caller,
            name,
            description: description ?? null,
            recipe,
            recipes,
            model: model ?? null,
            instructions: instructions ?? null,
            maxCostUsd: maxCostUsd == null ? null : canonicalUsd(maxCostUsd),
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.workspaceId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              AgentNotFound: () => Effect.fail(notFound()),
              RecipeUnknown: (unknown) => {
                const pointer = unknown.recipe === recipe ? "/recipe" : `/recipes/${recipes.indexOf(unknown.recipe)}`
                return Effect.fail(invalid(pointer, "must be a recipe that is registered here"))
              }
            })
          )
        return creation(agentView(created.value), created.replayed)
      })
    })
  })
)
