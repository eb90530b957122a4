/** Models for agents of one's own, in the shapes of OpenAI's interfaces. */
import {
  Api,
  Conflict,
  CurrentAttempt,
  PaymentRequired,
  TooManyRequests,
  type Unauthorized,
  Unavailable,
  UnprocessableContent
} from "@agent-platform/contract"
import {
  type BodyUnfit,
  chatCallOf,
  chatCompletion,
  Gateway,
  type GatewayAnswer,
  type GatewayCall,
  type GatewayDelta,
  type GatewayFailed,
  makeChatChunks,
  makeResponseEvents,
  reading,
  responseCallOf,
  responseOf
} from "@agent-platform/models"
import { type ClaimedRun, Runs } from "@agent-platform/runs"
import { Clock, Effect, Queue, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { attemptOver } from "../attemptAuthentication.ts"
import { openAiError } from "../edge/problemResponse.ts"
import { invalid, unavailable } from "../edge/problems.ts"
import { waiting } from "../edge/within.ts"
import { LongAnswers } from "../LongAnswers.ts"
import { makeStreams } from "../streams.ts"

/** How long a call may take in all: three tries of a model, of 20 minutes each, and the waits between them. */
const CALL_SECONDS_MAX = 3_700

/** Most calls of a run, whose log has an event for each. */
const CALLS_MAX = 10_000

/** How many pieces of an answer wait for a slow reader. */
const PIECES_MAX = 64

const tooManyCalls = () =>
  new Conflict({ code: "quota_exceeded", detail: `A run makes at most ${CALLS_MAX} calls of models. Trigger another` })

const unfit = ({ detail, pointer }: BodyUnfit) => invalid(pointer, detail)

/** The problems by which a call can end. */
type CallProblem = PaymentRequired | TooManyRequests | Unauthorized | Unavailable | UnprocessableContent

/** The problem of a call that came to nothing. */
const problemOfFailure = ({ detail, errorCode, isRefused }: GatewayFailed): CallProblem => {
  switch (errorCode) {
    case "cap_reached":
    case "call_exceeds_cap":
      return new PaymentRequired({ code: errorCode, detail })
    case "model_unpriced":
    case "provider_key_missing":
    case "credential_invalid":
      return new UnprocessableContent({ code: errorCode, detail })
    case "provider_rate_limited":
      return new TooManyRequests({ code: errorCode, detail })
    default:
      return isRefused
        ? new UnprocessableContent({ code: "provider_refused", detail })
        : new Unavailable({ code: "provider_error", detail })
  }
}

/** Writes a streamed answer: the frames of its pieces, of its end, and of a failure in the middle. */
interface Writer {
  readonly delta: (delta: GatewayDelta) => string
  readonly end: (answer: GatewayAnswer) => string
  readonly failure: (error: ReturnType<typeof openAiError>) => string
}

/** A piece of a streamed answer, its end, or what it failed by. */
type Piece =
  | { readonly _tag: "Frames"; readonly frames: string }
  | { readonly _tag: "End"; readonly frames: string }
  | { readonly _tag: "Failed"; readonly problem: CallProblem }

const make = Effect.gen(function* () {
  const gateway = yield* Gateway
  const runs = yield* Runs
  const { openFor } = yield* LongAnswers
  const streams = yield* makeStreams

  /** Asks the model for as long as the attempt lasts. */
  const ask = (attempt: ClaimedRun, call: GatewayCall, onDelta?: (delta: GatewayDelta) => Effect.Effect<void>) =>
    Effect.raceFirst(
      Effect.mapError(gateway.ask(attempt, call, onDelta), problemOfFailure),
      Effect.andThen(runs.awaitAttemptOver(attempt.run), Effect.fail(attemptOver()))
    )

  const admit = Effect.fnUntraced(function* () {
    const attempt = yield* CurrentAttempt
    const { id, organizationId, usage, workspaceId } = attempt.run
    if (usage.requests >= CALLS_MAX) return yield* tooManyCalls()
    // Attempts have no credential that is kept: the calls of a run count together, as those of one credential.
    yield* openFor({ credential: { id: `run ${id}` }, organizationId, workspaceId })
    return attempt
  })

  /** The answer as a stream, once its first piece is there; a failure before that is answered like every other. */
  const stream = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    attempt: ClaimedRun,
    call: GatewayCall,
    writer: Writer
  ) {
    const pieces = yield* Queue.bounded<Piece>(PIECES_MAX)
    const frames = (delta: GatewayDelta) =>
      Effect.asVoid(Queue.offer(pieces, { _tag: "Frames", frames: writer.delta(delta) }))
    yield* Effect.forkScoped(
      ask(attempt, call, frames).pipe(
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError("A call by the gateway failed unexpectedly", defect),
            Effect.fail(unavailable())
          )
        ),
        Effect.matchEffect({
          onSuccess: (answer) => Queue.offer(pieces, { _tag: "End", frames: writer.end(answer) }),
          onFailure: (problem) => Queue.offer(pieces, { _tag: "Failed", problem })
        })
      )
    )
    const first = yield* waiting(Queue.take(pieces), CALL_SECONDS_MAX)
    if (first._tag === "Failed") return yield* first.problem
    const rest = first._tag === "End" ? Stream.empty : Stream.fromEffectRepeat(Queue.take(pieces))
    const text = Stream.concat(Stream.succeed(first), rest).pipe(
      Stream.takeUntil(({ _tag }) => _tag !== "Frames"),
      Stream.map((piece) => (piece._tag === "Failed" ? writer.failure(openAiError(piece.problem)) : piece.frames))
    )
    return streams.frames(request, text)
  })

  return {
    createChatCompletion: Effect.fnUntraced(function* ({
      payload,
      request
    }: {
      readonly payload: Parameters<typeof chatCallOf>[0] & {
        readonly stream?: boolean | null | undefined
        readonly stream_options?: { readonly include_usage?: boolean | null | undefined } | null | undefined
      }
      readonly request: HttpServerRequest.HttpServerRequest
    }) {
      const call = yield* Effect.mapError(
        reading(() => chatCallOf(payload)),
        unfit
      )
      const attempt = yield* admit()
      const head = { model: call.model, created: Math.floor((yield* Clock.currentTimeMillis) / 1000) }
      if (payload.stream === true) {
        const includesUsage = payload.stream_options?.include_usage === true
        return yield* stream(request, attempt, call, makeChatChunks(head, includesUsage))
      }
      return chatCompletion(yield* waiting(ask(attempt, call), CALL_SECONDS_MAX), head)
    }),

    createResponse: Effect.fnUntraced(function* ({
      payload,
      request
    }: {
      readonly payload: Parameters<typeof responseCallOf>[0] & { readonly stream?: boolean | null | undefined }
      readonly request: HttpServerRequest.HttpServerRequest
    }) {
      const call = yield* Effect.mapError(
        reading(() => responseCallOf(payload)),
        unfit
      )
      const attempt = yield* admit()
      const created = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      if (payload.stream === true) return yield* stream(request, attempt, call, makeResponseEvents(payload, created))
      return responseOf(yield* waiting(ask(attempt, call), CALL_SECONDS_MAX), payload, created)
    })
  }
})

/** Handlers of the gateway. */
export const layerGateway = HttpApiBuilder.group(
  Api,
  "gateway",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll(yield* make)
  })
)
