/** Problems of triggering runs and replying to them. */
import { Conflict, PaymentRequired, TooManyRequests, UnprocessableContent } from "@agent-platform/contract"
import type { AgentFlawed, InputSchemaMismatch, OverrideRefused, QueueFull, RecipeUnknown } from "@agent-platform/runs"
import { String as Text } from "effect"
import { pointerOf } from "../edge/issues.ts"
import { agentNotFound, invalid, notFound, notFoundAt } from "../edge/problems.ts"
import { oneOf, settingPointer } from "./agentBodies.ts"

/** The problem of an input that does not fit the agent's schema. */
export const inputProblems = {
  InputSchemaMismatch: ({ detail, isMissing, path }: InputSchemaMismatch) =>
    isMissing
      ? invalid("/input", "is required: the agent has an input_schema", "required")
      : invalid(pointerOf("Payload", ["input", ...path]), `must have the form that the agent asks for: ${detail}`)
}

/** The problems of settings that a run is to have in the place of its agent's. */
const overrideProblems = {
  OverrideRefused: ({ overridable, setting }: OverrideRefused) => {
    const names = overridable.map((name) => Text.camelToSnake(name)).join(", ")
    const those = names === "" ? "it lets them override nothing" : `it lets them override ${names}`
    return invalid(settingPointer([setting]), `must be left to the agent: ${those}`)
  },
  AgentFlawed: ({ detail, path }: AgentFlawed) => invalid(settingPointer(path), detail)
}

/** The problem of a session that the body of a run names. */
export const sessionNotFound = notFoundAt("/session_id", "must be the id of a session that you can see")

/** The problems of accepting a run or a reply, by the failures of the domain. */
export const acceptanceProblems = {
  ...overrideProblems,
  AgentNotFound: notFound,
  WorkspaceClosed: notFound,
  SessionNotFound: notFound,
  RunNotFound: notFound,
  // A reply names neither agent nor recipe.
  RecipeUnknown: ({ recipe }: RecipeUnknown) =>
    new UnprocessableContent({
      code: "validation_failed",
      detail: `The runs of the session have the recipe ${recipe}, which their agent has no more or which is not registered here`
    }),
  SessionBusy: () => new Conflict({ code: "session_busy", detail: "The session has an unfinished run" }),
  CapReached: () =>
    new PaymentRequired({ code: "cap_reached", detail: "The workspace's spend cap of this month is reached" }),
  QueueFull: ({ limit }: QueueFull) =>
    new TooManyRequests({
      code: "queue_full",
      detail: `The workspace has ${limit} queued runs, which is all it may have`
    })
}

/** The problem of an agent in a body whose own recipe cannot be executed. */
export const agentWithoutRecipe = (others: ReadonlyArray<string>) => {
  const those = others.length === 0 ? "" : `, unless recipe names another of its own: ${others.join(", ")}`
  return invalid("/agent_id", `must be an agent whose recipe is registered here${those}`)
}

/** The problems of what the body of a run names: its agent, its session and its recipe, unless it leaves that to the agent. */
export const triggerProblems = (body: { readonly recipe?: string | null | undefined }) => ({
  AgentNotFound: agentNotFound,
  SessionNotFound: sessionNotFound,
  RecipeUnknown: ({ possible }: RecipeUnknown) =>
    body.recipe == null
      ? agentWithoutRecipe(possible)
      : invalid("/recipe", oneOf("must be a recipe of the agent that is registered here", possible))
})
