/** Problems of triggering runs and replying to them. */
import { Conflict, PaymentRequired, TooManyRequests } from "@agent-platform/contract"
import type { AgentFlawed, InputSchemaMismatch, OverrideRefused, QueueFull } from "@agent-platform/runs"
import { String as Text } from "effect"
import { pointerOf } from "../edge/issues.ts"
import { invalid, notFound } from "../edge/problems.ts"
import { settingPointer } from "./agentBodies.ts"

/** The problem of an input that does not fit the agent's schema. */
export const inputProblems = {
  InputSchemaMismatch: ({ detail, path }: InputSchemaMismatch) =>
    invalid(pointerOf("Payload", ["input", ...path]), `must have the form that the agent asks for: ${detail}`)
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

/** The problems of accepting a run, by the failures of the domain. */
export const acceptanceProblems = {
  ...overrideProblems,
  AgentNotFound: notFound,
  WorkspaceClosed: notFound,
  SessionNotFound: notFound,
  RunNotFound: notFound,
  RecipeUnknown: () => invalid("/recipe", "must be a recipe of the agent that is registered here"),
  SessionBusy: () => new Conflict({ code: "session_busy", detail: "The session has an unfinished run" }),
  CapReached: () =>
    new PaymentRequired({ code: "cap_reached", detail: "The workspace's spend cap of this month is reached" }),
  QueueFull: ({ limit }: QueueFull) =>
    new TooManyRequests({
      code: "queue_full",
      detail: `The workspace has ${limit} queued runs, which is all it may have`
    })
}
