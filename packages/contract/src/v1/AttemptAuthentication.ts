/** How an agent shows which attempt it executes. The implementation is the server's. */
import type { ClaimedRun } from "@agent-platform/runs"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { TooManyRequests, Unauthorized } from "./errors.ts"

/** The attempt that makes the current request. */
export class CurrentAttempt extends Context.Service<CurrentAttempt, ClaimedRun>()(
  "@agent-platform/contract/CurrentAttempt"
) {}

/** Recognises the attempt by its token, which is good while the attempt lasts. */
export class AttemptAuthentication extends HttpApiMiddleware.Service<
  AttemptAuthentication,
  { provides: CurrentAttempt }
>()("@agent-platform/contract/AttemptAuthentication", {
  security: {
    attempt: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "The token of an attempt, from the request to the agent, as `Authorization: Bearer <token>`. It dies with the attempt"
      )
    )
  },
  error: [Unauthorized, TooManyRequests]
}) {}
