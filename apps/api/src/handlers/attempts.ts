/** Callbacks: agents that run at their owners' endpoints report how their runs went on. */
import { Api, bodyLimitOf, Conflict, attempts as contract, Unauthorized } from "@agent-platform/contract"
import { type CallbackUnusable, RunId, Runs, type WebhookSignatureInvalid } from "@agent-platform/runs"
import { Effect, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, type HttpApiEndpoint } from "effect/http-api"
import { issuesOf, problemOfIssues } from "../edge/issues.ts"
import { demandJson, parseJson } from "../edge/layerJsonBody.ts"
import { invalid } from "../edge/problems.ts"
import { readBody } from "../edge/readBody.ts"
import { idOf } from "../ids.ts"

const unsigned = (detail: string) => new Unauthorized({ code: "signature_invalid", detail })

/** For a malformed id as for an unknown one, so that nobody learns whether there is such a run. */
const noRun = () => unsigned("No signature of the request matches its body")

const notAwaited = () =>
  new Conflict({
    code: "callback_not_awaited",
    detail: "The attempt does not last any more: the run has ended, or another attempt executes it"
  })

const unusable = ({ detail, line }: CallbackUnusable) =>
  invalid(line === undefined ? "/lines" : `/lines/${line}`, detail)

const decode = Schema.decodeUnknownResult(contract.CallbackBody, { errors: "all", onExcessProperty: "error" })

const parse = Effect.fnUntraced(function* (raw: Uint8Array) {
  const body = yield* parseJson(raw)
  const decoded = decode(body)
  return Result.isSuccess(decoded)
    ? decoded.success
    : yield* problemOfIssues(issuesOf("Payload", decoded.failure.issue, body))
})

/** Handlers of what agents call. */
export const layerAttempts = HttpApiBuilder.group(
  Api,
  "attempts",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* Runs
    const read = (request: HttpServerRequest.HttpServerRequest, endpoint: HttpApiEndpoint.Top) =>
      Effect.andThen(
        demandJson(request),
        Effect.map(readBody(request, bodyLimitOf(endpoint) ?? 0), (bytes) => new Uint8Array(bytes))
      )
    return handlers.handleAll({
      receiveCallback: Effect.fnUntraced(function* ({ endpoint, params, request }) {
        const run = yield* runs
          .receiveCallback({
            runId: yield* Effect.mapError(idOf(RunId, params.run_id), noRun),
            headers: request.headers,
            read: read(request, endpoint),
            parse
          })
          .pipe(
            Effect.catchTags({
              WebhookSignatureInvalid: ({ detail }: WebhookSignatureInvalid) => unsigned(detail),
              CallbackNotAwaited: notAwaited,
              CallbackUnusable: unusable
            })
          )
        return { runId: run.id, status: run.status, paused: run.paused }
      })
    })
  })
)
