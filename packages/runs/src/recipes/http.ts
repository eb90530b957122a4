/** The `http` recipe: the customer's own agent, called over guarded egress. */
import { Egress, type RequestFailed, SecretBox } from "@agent-platform/kernel"
import { currentTraceparent } from "@agent-platform/toolkit"
import { DateTime, Effect, Option, Stream } from "effect"
import { endpointSecretPlace, HTTP_RECIPE } from "../Agent.ts"
import type { Recipe, Turn } from "../ports/AgentRunner.ts"
import { signatureHeaders } from "../signatureHeaders.ts"
import { failed, handleLine, makeProgress, type Progress } from "./httpLines.ts"
import { type Lines, makeLineSplitter } from "./lines.ts"

/** Longest line of an answer, in characters. */
const LINE_LENGTH_MAX = 512 * 1024

/** Most bytes of an answer. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024

/** How long an agent may send nothing, not even an empty line. */
const SILENCE_MILLIS_MAX = 5 * 60_000

/** The request outlives the run's own time by this much, so that it is the run that times out. */
const BEYOND_DEADLINE_MILLIS = 5_000

/** The body of the request to the agent. Spec: Agents 4. */
const requestBody = ({ agent, run }: Turn, deadlineAt: DateTime.Utc): string =>
  JSON.stringify({
    run_id: run.id,
    session_id: run.sessionId,
    agent_id: run.agentId,
    workspace_id: run.workspaceId,
    attempt: run.attempt,
    message: run.prompt,
    input: run.input,
    resumes_run_id: run.resumesRunId,
    instructions: agent.instructions,
    model: agent.model,
    tools: agent.tools,
    metadata: run.metadata,
    tags: run.tags,
    deadline_at: DateTime.formatIso(deadlineAt)
  })

/** Handles the lines that a piece of the body completes. */
const handleLines = Effect.fnUntraced(function* (progress: Progress, { fault, lines }: Lines) {
  for (const line of lines) {
    // Millions of empty lines fit into an answer, so they are only counted: an error names the number of its line.
    if (line === "") {
      progress.count += 1
      continue
    }
    const ended = yield* handleLine(progress, line)
    if (ended !== undefined) return ended
  }
  return fault === undefined ? undefined : failed(`The agent's answer ${fault}`)
})

/** Reads an answer's body to the line that ends the turn. The turn fails where the body ends before that. */
const readBody = Effect.fnUntraced(function* (turn: Turn, body: Stream.Stream<Uint8Array, RequestFailed>) {
  const progress = makeProgress(turn)
  const splitter = makeLineSplitter(LINE_LENGTH_MAX)
  // The body may end without a line break after its last line.
  const lastLine = Stream.suspend(() => Stream.succeed(splitter.push()))
  const outcome = yield* Stream.map(body, splitter.push).pipe(
    Stream.concat(lastLine),
    Stream.mapEffect((lines) => handleLines(progress, lines)),
    Stream.filter((ended) => ended !== undefined),
    Stream.runHead
  )
  return Option.getOrElse(outcome, () =>
    failed("The agent's answer ended without a line of the type result, pause or fail")
  )
})

/** The options of calls to agents. */
export interface HttpRecipeOptions {
  /** How the header of the signature begins: `x-service` by default. */
  readonly headerPrefix?: string | undefined
}

/** The recipe over any egress. */
export const makeHttpRecipe = Effect.fnUntraced(function* (
  options: HttpRecipeOptions = {}
): Effect.fn.Return<Recipe, never, Egress | SecretBox> {
  const egress = yield* Egress
  const box = yield* SecretBox

  const execute = Effect.fnUntraced(
    function* (turn: Turn) {
      const { agent, run } = turn
      if (agent.endpoint === null) return failed("The agent has no endpoint")
      const now = yield* DateTime.now
      const body = requestBody(turn, DateTime.add(now, { seconds: run.maxDurationSeconds }))
      const headers = signatureHeaders({
        secret: yield* Effect.orDie(box.open(endpointSecretPlace(agent), agent.endpoint.sealedSecret)),
        timestampSeconds: Math.floor(DateTime.toEpochMillis(now) / 1000),
        id: run.id,
        body,
        headerPrefix: options.headerPrefix ?? "x-service"
      })
      const trace = yield* currentTraceparent
      const answer = yield* egress.stream({
        purpose: "agents",
        method: "POST",
        url: agent.endpoint.url,
        headers: {
          "content-type": "application/json",
          accept: "application/x-ndjson",
          ...(trace === null ? {} : { traceparent: trace }),
          ...headers
        },
        body,
        deadlineMillis: run.maxDurationSeconds * 1000 + BEYOND_DEADLINE_MILLIS,
        silenceMillis: SILENCE_MILLIS_MAX,
        bytesMax: ANSWER_BYTES_MAX
      })
      if (answer.status !== 200) return failed(`The agent answered ${answer.status} instead of 200`)
      return yield* readBody(turn, answer.body)
    },
    Effect.scoped,
    Effect.catchTag("RequestFailed", ({ detail }) => Effect.succeed(failed(`The agent's answer broke off: ${detail}`)))
  )

  return { name: HTTP_RECIPE, execute }
})
