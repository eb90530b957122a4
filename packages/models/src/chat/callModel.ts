/** A model is asked until it answers: with one key after another, and again where that can help. */
import { type KeyCandidate, type ProviderKeyMissing, ProviderKeys } from "@agent-platform/keys"
import { DateTime, Effect, Redacted } from "effect"
import { type CallOutcome, unfitOf } from "./CallOutcome.ts"
import { ChatFailed, MessagesRefused } from "./ChatFailed.ts"
import { logOfProvider } from "./logOfProvider.ts"
import { type CallTools, type ModelRequest, makeModelCall } from "./modelCall.ts"
import type { Refusal } from "./refusals.ts"

/** How often a provider that is busy or breaks off is asked, each time for money. */
export const TRIES_MAX = 3

/** How often all keys are tried again once every one of them is limited. */
export const ROUNDS_MAX = 3

/** The longest wait before another try, in seconds, whatever the provider asks for. */
const WAIT_SECONDS_MAX = 30

/** The wait after a limit or a failure of which the provider does not say how long it lasts: 1 s, 2 s, 4 s. */
const waitSeconds = (tries: number, asked: number | undefined): number =>
  Math.min(asked ?? 2 ** (tries - 1), WAIT_SECONDS_MAX)

const MISSING: Readonly<Record<ProviderKeyMissing["reason"], string>> = {
  none: "The workspace has registered no key",
  unusable: "Every key that the workspace has registered is refused",
  model: "No key of the workspace may be used for this model",
  unreadable: "A key of the workspace cannot be opened here"
}

const missing = ({ provider, reason }: ProviderKeyMissing) =>
  new ChatFailed({
    errorCode: reason === "unusable" ? "credential_invalid" : "provider_key_missing",
    error: `${MISSING[reason]} for ${provider}`
  })

/** The findings about all keys in one round. */
interface Round {
  /** From 1. */
  readonly number: number
  /** Whether the provider was found to take a key no more. */
  rejected: boolean
  /** The shortest wait after which a key may serve; undefined where none was merely limited. */
  waitSeconds: number | undefined
  last: Refusal | undefined
}

/** A request, and how often it was asked in vain. */
interface Asking {
  readonly call: ReturnType<typeof makeModelCall>
  readonly request: ModelRequest
  tries: number
}

/** Reports why a key was refused, and notes it for the round. */
const reportRefusal = Effect.fnUntraced(function* (
  { turn }: ModelRequest,
  { key }: KeyCandidate,
  refusal: Refusal,
  round: Round
) {
  const keys = yield* ProviderKeys
  round.last = refusal
  const { providerCode, retryAfterSeconds } = refusal
  if (refusal.kind === "limit") {
    const until =
      retryAfterSeconds === undefined ? undefined : DateTime.add(yield* DateTime.now, { seconds: retryAfterSeconds })
    if (key !== null) {
      yield* keys.reportKeyLimited({
        key,
        limit: refusal.limit,
        providerStatus: refusal.providerStatus,
        providerCode,
        until
      })
    }
    if (refusal.limit === "rate_limited") {
      const wait = waitSeconds(round.number, retryAfterSeconds)
      round.waitSeconds = Math.min(round.waitSeconds ?? wait, wait)
    }
    return
  }
  if (key === null) return yield* Effect.logError(`The platform's key was refused: ${refusal.detail}`)
  const found = { runId: turn.run.id, sessionId: turn.run.sessionId, agent: turn.agent }
  if (yield* keys.reportKeyRejected({ key, providerStatus: refusal.providerStatus, providerCode, ...found }))
    round.rejected = true
})

/** Asks with one key; undefined when the next one is to be tried. */
const askWith = Effect.fnUntraced(function* (asking: Asking, candidate: KeyCandidate, round: Round) {
  const keys = yield* ProviderKeys
  const { call, request } = asking
  while (true) {
    const outcome: CallOutcome = yield* Effect.catchTag(call(request, candidate), "SpendRefused", (refused) =>
      Effect.fail(new ChatFailed({ errorCode: refused.errorCode, error: refused.detail }))
    )
    if (outcome._tag === "Answered") {
      if (candidate.key !== null) yield* keys.reportKeyWorked({ key: candidate.key })
      return outcome
    }
    const refusal = outcome._tag === "Refused" ? outcome.refusal : undefined
    if (refusal?.kind === "key" || refusal?.kind === "limit") {
      yield* reportRefusal(request, candidate, refusal, round)
      return undefined
    }
    asking.tries += 1
    const detail = outcome._tag === "Refused" ? outcome.refusal.detail : outcome.detail
    const isRefused = refusal?.kind === "request"
    const isFinal = isRefused || outcome._tag === "Unusable" || request.mayRepeat?.() === false
    if (isFinal || asking.tries >= TRIES_MAX) {
      const errorCode = outcome._tag === "Unusable" ? outcome.errorCode : "provider_error"
      const failed = new ChatFailed({ errorCode, error: detail, isRefused })
      const unfit = unfitOf(outcome)
      return yield* unfit === undefined ? failed : new MessagesRefused({ unfit, failed })
    }
    yield* logOfProvider(request.turn, request.name.provider, `The model is asked again: ${detail}`)
    yield* Effect.sleep(`${waitSeconds(asking.tries, refusal?.retryAfterSeconds)} seconds`)
  }
})

/**
 * Asks the model of a request. A key that its provider refuses or limits is reported, and the next one is tried. A provider that is busy
 * or breaks off is asked again with the same key. Each try is a call of its own for the SpendGuard. Fails with ChatFailed when nothing is
 * left to be tried, and with MessagesRefused where other messages can help.
 */
export const makeCallModel = (settings: CallTools) => {
  const call = makeModelCall(settings)
  return Effect.fnUntraced(function* (request: ModelRequest) {
    const keys = yield* ProviderKeys
    const { name, turn } = request
    const { organizationId, workspaceId } = turn.run
    const asking: Asking = { call, request, tries: 0 }
    for (let number = 1; ; number++) {
      const candidates = yield* keys
        .chooseProviderKeys({ organizationId, workspaceId, ...name })
        .pipe(Effect.mapError(missing))
      turn.redactor.add(...candidates.map(({ value }) => Redacted.value(value)))
      const round: Round = { number, rejected: false, waitSeconds: undefined, last: undefined }
      for (const candidate of candidates) {
        const answered = yield* askWith(asking, candidate, round)
        if (answered !== undefined) return answered
      }
      const error = round.last?.detail ?? `${name.provider} has not answered`
      if (round.waitSeconds !== undefined && number < ROUNDS_MAX) {
        yield* logOfProvider(turn, name.provider, `Every key is limited, the model is asked again: ${error}`)
        yield* Effect.sleep(`${round.waitSeconds} seconds`)
        continue
      }
      if (round.last?.kind === "limit") return yield* new ChatFailed({ errorCode: "provider_rate_limited", error })
      // A key that was reported is tested. Where the provider takes it all the same, the call was refused for something else.
      return yield* new ChatFailed({ errorCode: round.rejected ? "credential_invalid" : "provider_error", error })
    }
  })
}
