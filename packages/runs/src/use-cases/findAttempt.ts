import { useCase } from "@agent-platform/toolkit"
import { type Redacted, Schema } from "effect"
import { Agent } from "../Agent.ts"
import { openAttemptToken } from "../attemptToken.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import type { ClaimedRun } from "../ports/RunQueue.ts"
import { RunReader } from "../ports/RunReader.ts"
import { lasts } from "./awaitAttemptOver.ts"

/** The text is no token, or its attempt does not last any more: the run has ended, is to be cancelled, or is executed anew. */
export class AttemptOver extends Schema.TaggedError<AttemptOver>()("AttemptOver", {}) {}

/** The run whose attempt this token was made for, while that attempt lasts. Fails with AttemptOver. */
export const findAttempt = useCase("runs.findAttempt")(function* (token: Redacted.Redacted) {
  const named = yield* openAttemptToken(token)
  if (named === undefined) return yield* new AttemptOver()
  const found = yield* RunReader.use((runs) => runs.findHeld(named.runId))
  if (found === undefined || found.claimToken === null) return yield* new AttemptOver()
  const { claimToken, run } = found
  const agent = lasts(run, named.attempt)
    ? yield* AgentStore.use((agents) => agents.recall(run.workspaceId, run.agentId))
    : undefined
  if (agent === undefined) return yield* new AttemptOver()
  return { run, claimToken, agent: Agent.overridden(agent, run.overrides) } satisfies ClaimedRun
})
