import { type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, Schema } from "effect"

export const AgentId = Uuid.pipe(Schema.brand("AgentId"))
export type AgentId = typeof AgentId.Type

/** What runs are made of: a recipe with its settings. */
export interface Agent {
  readonly id: AgentId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly name: string
  readonly description: string | null
  /** The recipe of a run that names none. */
  readonly recipe: string
  /** Further recipes that a run may name. */
  readonly recipes: ReadonlyArray<string>
  readonly model: string | null
  readonly instructions: string | null
  /** The most that one run may cost, in USD as a decimal; null means no cap but the workspace's. */
  readonly maxCostUsd: string | null
  readonly version: number
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** No such agent in the caller's workspace. */
export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", {}) {}

/** No program of this name is registered here, or the agent does not list it. */
export class RecipeUnknown extends Schema.TaggedError<RecipeUnknown>()("RecipeUnknown", {
  recipe: Schema.String
}) {}

/** Whether a run of this agent may use the recipe. */
export const offers = (agent: Agent, recipe: string): boolean =>
  agent.recipe === recipe || agent.recipes.includes(recipe)
