/** The request to a customer's own agent. docs/agents.md, The request. */
import { DateTime, Effect, Redacted, type Schema } from "effect"
import { makeAttemptToken } from "../attemptToken.ts"
import type { Turn } from "../ports/AgentRunner.ts"
import { RunReader } from "../ports/RunReader.ts"
import type { RunId } from "../Run.ts"
import { historyOf } from "../sessionHistory.ts"

/** Where agents call the platform. */
export const GATEWAY_PATH = "/api/v1/gateway"
export const callbackPath = (runId: RunId): string => `/api/v1/runs/${runId}/callback`

/** The question that the run answers; null where it answers none. */
const questionOf = Effect.fnUntraced(function* ({ run }: Turn) {
  if (run.resumesRunId === null) return null
  const runs = yield* RunReader
  const asked = yield* runs.find(run.workspaceId, run.resumesRunId)
  return asked === undefined ? null : { run_id: asked.id, message: asked.message, interrupt: asked.interrupt }
})

/** The messages of the session before the run, oldest first. */
const historyBefore = Effect.fnUntraced(function* ({ run }: Turn) {
  const messages = yield* historyOf(run, null)
  return messages.map(({ createdAt, isQuestion, role, runId, text }) => ({
    role,
    text,
    is_question: isQuestion,
    run_id: runId,
    created_at: DateTime.formatIso(createdAt)
  }))
})

/** The state that the agent has saved: by an earlier attempt, before the question that is answered, or in an earlier turn. */
const checkpointOf = Effect.fnUntraced(function* ({ checkpoint }: Turn) {
  return (yield* checkpoint.load) ?? (yield* checkpoint.ofQuestion) ?? (yield* checkpoint.ofSession) ?? null
})

/**
 * The body of the request for a turn. It names the gateway and the callback where it is known at which address the platform is. The
 * redactor learns the token in it.
 */
export const requestBody = Effect.fnUntraced(function* (
  turn: Turn,
  { baseUrl, deadlineAt }: { readonly baseUrl: string | null; readonly deadlineAt: DateTime.Utc }
) {
  const { agent, redactor, run } = turn
  const token = Redacted.value(yield* makeAttemptToken(run))
  redactor.add(token)
  const body: Schema.JsonObject = {
    run_id: run.id,
    session_id: run.sessionId,
    agent_id: run.agentId,
    workspace_id: run.workspaceId,
    attempt: run.attempt,
    message: run.prompt,
    input: run.input,
    resumes_run_id: run.resumesRunId,
    question: yield* questionOf(turn),
    history: yield* historyBefore(turn),
    checkpoint: yield* checkpointOf(turn),
    instructions: agent.instructions,
    model: agent.model,
    tools: agent.tools,
    metadata: run.metadata,
    tags: run.tags,
    deadline_at: DateTime.formatIso(deadlineAt),
    gateway: baseUrl === null ? null : { base_url: baseUrl + GATEWAY_PATH, token },
    callback: baseUrl === null ? null : { url: baseUrl + callbackPath(run.id) }
  }
  return JSON.stringify(body)
})
