/** The `http` recipe: the customer's own agent, called over guarded egress. */
import { Egress, type RequestFailed, SecretBox, type StreamedResponse } from "@agent-platform/kernel"
import { currentTraceparent, makeBind } from "@agent-platform/toolkit"
import { Clock, DateTime, Effect, Option, type Scope, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Agent, type AgentEndpoint, endpointSecretPlace, HTTP_RECIPE, liveEndpointSecrets } from "../Agent.ts"
import type { Recipe, Turn } from "../ports/AgentRunner.ts"
import { RunReader } from "../ports/RunReader.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { SpendGuard } from "../ports/SpendGuard.ts"
import type { TurnOutcome } from "../Run.ts"
import { signatureHeaders } from "../signatureHeaders.ts"
import { failed, handleLine, makeProgress, type Progress, readLine } from "./httpLines.ts"
import { requestBody } from "./httpRequest.ts"
import { type Lines, makeLineSplitter } from "./lines.ts"
import { countStated } from "./statedUsage.ts"
import { type Unreached, unreachedBy, waitMillis } from "./unreached.ts"

/** Longest line of an answer, in characters. */
const LINE_LENGTH_MAX = 512 * 1024

/** Most bytes of an answer. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024

/** How long an agent may send nothing, not even an empty line. */
const SILENCE_MILLIS_MAX = 5 * 60_000

/** The request outlives the run's own time by this much, so that it is the run that times out. */
const BEYOND_DEADLINE_MILLIS = 5_000

/** Handles the lines that a piece of the body completes. */
const handleLines = Effect.fnUntraced(function* (progress: Progress, { fault, lines }: Lines) {
  for (const line of lines) {
    // Millions of empty lines fit into an answer, so they are only counted: an error names the number of its line.
    if (line === "") {
      progress.lines += 1
      continue
    }
    const ended = yield* handleLine(progress, readLine(line))
    if (ended !== undefined) return ended
  }
  return fault === undefined ? undefined : failed(`The agent's answer ${fault}`)
})

/** Reads an answer's body to the line that ends the turn. The turn fails where the body ends before that. */
const readBody = Effect.fnUntraced(function* (progress: Progress, body: Stream.Stream<Uint8Array, RequestFailed>) {
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
  /** Where agents call the platform, without a slash at the end; without it they are offered neither gateway nor callback. */
  readonly baseUrl?: string | null | undefined
}

/** The request of a turn, the same whenever it is sent. */
interface Call {
  readonly turn: Turn
  readonly endpoint: AgentEndpoint
  readonly body: string
  readonly progress: Progress
  readonly untilMillis: number
}

/** The secrets that sign requests at this time. */
const openSecrets = Effect.fnUntraced(function* (agent: Agent, endpoint: AgentEndpoint, now: DateTime.Utc) {
  const box = yield* SecretBox
  const place = endpointSecretPlace(agent)
  return yield* Effect.forEach(liveEndpointSecrets(endpoint, now), (sealed) => Effect.orDie(box.open(place, sealed)))
})

/** Sends the request once, signed as of now. */
const send = Effect.fnUntraced(function* (
  { body, endpoint, turn, untilMillis }: Call,
  { headerPrefix = "x-service" }: HttpRecipeOptions
): Effect.fn.Return<StreamedResponse, RequestFailed, Egress | SecretBox | Scope.Scope> {
  const egress = yield* Egress
  const now = yield* DateTime.now
  const trace = yield* currentTraceparent
  const headers = signatureHeaders({
    secrets: yield* openSecrets(turn.agent, endpoint, now),
    timestampSeconds: Math.floor(DateTime.toEpochMillis(now) / 1000),
    id: turn.run.id,
    body,
    headerPrefix
  })
  return yield* egress.stream({
    purpose: "agents",
    method: "POST",
    url: endpoint.url,
    headers: {
      "content-type": "application/json",
      accept: "application/x-ndjson",
      ...(trace === null ? {} : { traceparent: trace }),
      ...headers
    },
    body,
    deadlineMillis: untilMillis - DateTime.toEpochMillis(now) + BEYOND_DEADLINE_MILLIS,
    silenceMillis: SILENCE_MILLIS_MAX,
    bytesMax: ANSWER_BYTES_MAX
  })
})

/** Calls the agent once and reads its answer; or says that the agent was not reached. */
const callOnce = Effect.fnUntraced(
  function* (call: Call, options: HttpRecipeOptions) {
    const { body, status, ...answer } = yield* send(call, options)
    if (status === 200) return yield* readBody(call.progress, body)
    if (status === 202 && options.baseUrl != null) {
      const left = call.untilMillis - (yield* Clock.currentTimeMillis)
      return { _tag: "AwaitsCallback", seconds: Math.max(0, left / 1000) } satisfies TurnOutcome
    }
    if (status === 202) return failed("The agent answered 202, but this deployment has no address for callbacks")
    return unreachedBy({ status, ...answer }) ?? failed(`The agent answered ${status} instead of 200`)
  },
  Effect.scoped,
  Effect.catchTag("RequestFailed", (problem) =>
    Effect.succeed(unreachedBy(problem) ?? failed(`The agent's answer broke off: ${problem.detail}`))
  )
)

/** Calls the agent until it is reached: a call that did not reach it has executed nothing. */
const callUntilReached = Effect.fnUntraced(function* (call: Call, options: HttpRecipeOptions) {
  const since = yield* Clock.currentTimeMillis
  for (let tries = 1; ; tries++) {
    const outcome: TurnOutcome | Unreached = yield* callOnce(call, options)
    if (outcome._tag !== "Unreached") return outcome
    const wait = waitMillis(outcome, tries, (yield* Clock.currentTimeMillis) - since)
    if (wait === undefined) return failed(`The agent could not be reached: ${outcome.detail}`)
    if (tries === 1) {
      yield* call.turn.emit("log", { message: `The agent is called again until it is reached: ${outcome.detail}` })
    }
    yield* Effect.sleep(wait)
  }
})

const execute = Effect.fnUntraced(function* (turn: Turn, options: HttpRecipeOptions) {
  const { agent, run } = turn
  if (agent.endpoint === null) return failed("The agent has no endpoint")
  // `count` is called outside of this generator, so it takes its ports along.
  const ports = yield* Effect.context<SpendGuard | SecureRandom.SecureRandom>()
  const count: Progress["count"] = (usage) =>
    Effect.provideContext(countStated(turn, usage, { payer: { source: "byok", keyId: null }, isReported: true }), ports)
  const deadlineAt = DateTime.add(yield* DateTime.now, { seconds: run.maxDurationSeconds })
  const body = yield* requestBody(turn, { baseUrl: options.baseUrl ?? null, deadlineAt })
  const progress = makeProgress(turn, count)
  const untilMillis = DateTime.toEpochMillis(deadlineAt)
  return yield* callUntilReached({ turn, endpoint: agent.endpoint, body, progress, untilMillis }, options)
})

/** The recipe over any egress. */
export const makeHttpRecipe = Effect.fnUntraced(function* (options: HttpRecipeOptions = {}) {
  const bind = yield* makeBind(Egress, SecretBox, SecureRandom.SecureRandom, SessionStore, RunReader, SpendGuard)
  const executing = bind(execute)
  return { name: HTTP_RECIPE, execute: (turn) => executing(turn, options) } satisfies Recipe
})
