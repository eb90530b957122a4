/** Recognises the attempt that calls the gateway. */
import { AttemptAuthentication, CurrentAttempt, Unauthorized } from "@agent-platform/contract"
import type { Keys } from "@agent-platform/keys"
import { Runs } from "@agent-platform/runs"
import { Context, Effect, Layer, Redacted } from "effect"
import type { ApiSettings } from "./ApiSettings.ts"
import { CurrentRequest } from "./edge/CurrentRequest.ts"
import { answerFault } from "./edge/faults.ts"
import { makeRateLimit } from "./rateLimits.ts"

/** The problem of a token whose attempt does not last, or that is none. */
export const attemptOver = () =>
  new Unauthorized({
    code: "attempt_over",
    detail: "The token is not that of an attempt that lasts: its run has ended, is to be cancelled, or is executed anew"
  })

const missing = () =>
  new Unauthorized({
    code: "missing_credential",
    detail: "The token of an attempt is missing: send it as Authorization: Bearer <token>"
  })

const makeRecognise = Effect.gen(function* () {
  const runs = yield* Runs
  const { limitWorkspace } = yield* makeRateLimit
  return Effect.fnUntraced(function* (token: Redacted.Redacted) {
    if (Redacted.value(token) === "") return yield* missing()
    const attempt = yield* Effect.mapError(runs.findAttempt(token), attemptOver)
    const { noted } = yield* CurrentRequest
    noted.workspaceId = attempt.run.workspaceId
    yield* limitWorkspace(attempt.run)
    return attempt
  })
})

/** Authentication of attempts over the domain services. */
export const layerAttemptAuthentication: Layer.Layer<AttemptAuthentication, never, Runs | Keys | ApiSettings> =
  Layer.effect(
    AttemptAuthentication,
    Effect.map(makeRecognise, (recognise) =>
      AttemptAuthentication.of({
        attempt: (respond, { credential }) =>
          Effect.matchCauseEffect(recognise(credential), {
            onFailure: answerFault,
            onSuccess: (attempt) =>
              Effect.updateContext(respond, (context: Context.Context<never>) =>
                Context.add(context, CurrentAttempt, attempt)
              )
          })
      })
    )
  )
