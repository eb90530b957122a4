/** Turns of the recipe `http` over an egress in memory, and a guard of spending that remembers. */
import { RequestFailed, SecretBox, type StreamRequest } from "@agent-platform/kernel"
import { type aStreamedResponse, layer as kernelMemory, MemoryEgress } from "@agent-platform/kernel/memory"
import {
  type AgentEndpoint,
  endpointSecretPlace,
  type HttpRecipeOptions,
  type ModelCall,
  type ModelCallEnd,
  makeHttpRecipe,
  makeRedactor,
  type Run,
  type RunEventType,
  SpendGuard,
  SpendRefused,
  type TurnCheckpoint
} from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { anAgent, aRun, aSession, NO_CHECKPOINT } from "@agent-platform/runs/testing"
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"

export const URL = "https://agents.example.com/run"
export const SECRET = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"

/** A connection that was lost in the middle, and one that never came about. */
export const cut = new RequestFailed({
  reason: "connection_lost",
  detail: "The connection was lost",
  remoteAddress: null,
  durationMillis: 1
})

type Answer = ReturnType<typeof aStreamedResponse>

/** The turn that is executed, where it differs from any. */
interface Given {
  readonly endpoint?: Partial<AgentEndpoint> | null
  readonly run?: Partial<Run>
  readonly options?: HttpRecipeOptions
  readonly checkpoint?: Partial<TurnCheckpoint>
}

/** Executes a turn whose agent answers so, one call after the other, and answers its outcome. */
export const execute = Effect.fnUntraced(function* (
  answers: Answer | RequestFailed | ReadonlyArray<Answer | RequestFailed>,
  given: Given = {}
) {
  const egress = yield* MemoryEgress
  const box = yield* SecretBox
  const all = Array.isArray(answers) ? [...answers] : [answers]
  egress.streamWith(() => {
    const answer = all.length > 1 ? all.shift() : all[0]
    return answer instanceof RequestFailed ? Effect.fail(answer) : Effect.succeed(answer)
  })
  const plain = anAgent(undefined, { instructions: "Be brief", tools: ["search"] })
  const sealedSecret = yield* box.seal(endpointSecretPlace(plain), Redacted.make(SECRET))
  const endpoint = { url: URL, sealedSecret, retiring: null, ...given.endpoint }
  const agent = { ...plain, endpoint: given.endpoint === null ? null : endpoint }
  const run = aRun(agent, aSession(agent), { attempt: 2, maxDurationSeconds: 60, ...given.run })
  const events: Array<readonly [RunEventType, unknown]> = []
  const http = yield* makeHttpRecipe(given.options)
  const outcome = yield* http.execute({
    run,
    agent,
    emit: (type, data) => Effect.sync(() => void events.push([type, data])),
    checkpoint: { ...NO_CHECKPOINT, ...given.checkpoint },
    redactor: makeRedactor()
  })
  return { outcome, events, run, request: egress.streams.at(-1) as StreamRequest }
})

/** Lines of JSON. */
export const lines = (...values: ReadonlyArray<unknown>) => values.map((value) => `${JSON.stringify(value)}\n`)

/** Asserts that the turn fails for its agent, for this reason. */
export const isFailure = (outcome: unknown, error: RegExp) => {
  assert.deepInclude(outcome as object, { _tag: "Failed", errorCode: "agent_error" })
  assert.match((outcome as { readonly error: string }).error, error)
}

/** A guard that keeps what it is asked, and refuses what is not reported while it says so. */
export const spent = { calls: [] as Array<ModelCall>, ends: [] as Array<ModelCallEnd>, isCapped: false }
const guard = Layer.succeed(SpendGuard, {
  reserve: (call) =>
    Effect.suspend(() => {
      if (spent.isCapped && call.reported !== "whatever_caps") {
        return Effect.fail(new SpendRefused({ errorCode: "cap_reached", detail: "Spent" }))
      }
      spent.calls.push(call)
      return Effect.succeed({ outputTokensMax: call.outputTokensMax })
    }),
  settle: (_, end) =>
    Effect.sync(() => {
      spent.ends.push(end)
      return { costUsd: "0.25" }
    })
})

export const memory = Layer.merge(Layer.provideMerge(stores, kernelMemory), guard)

export const refused = new RequestFailed({
  reason: "connect_failed",
  detail: "Nobody listens",
  remoteAddress: null,
  durationMillis: 1
})
