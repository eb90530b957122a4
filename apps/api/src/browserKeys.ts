/** Restricts browser keys to one run, or to one session with its runs, in the endpoints that are open to them. */
import type { BadRequest, Caller, EndpointAccess, Forbidden, NotFound } from "@agent-platform/contract"
import type { KeyResource } from "@agent-platform/keys"
import { RunId, Runs } from "@agent-platform/runs"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { browserKeysReadOne } from "./access.ts"
import { inWorkspace } from "./callers.ts"
import { notFound } from "./edge/problems.ts"
import { idOf } from "./ids.ts"

type Parameter = NonNullable<EndpointAccess["browser"]>

/** The value of a parameter as the handler gets it; undefined for a query parameter that is given twice. */
const valueOf = Effect.fnUntraced(function* (parameter: Parameter) {
  const { params } = yield* HttpRouter.RouteContext
  const query = yield* HttpServerRequest.ParsedSearchParams
  const value = params[parameter] ?? query[parameter]
  return typeof value === "string" ? value : undefined
})

/**
 * Makes the check that a request of a browser key is about the run or the session that the key reads. It fails with 404 for
 * another id, as for an unknown one, and with 403 where the request names none. Every other caller passes. One read finds the
 * session of a run.
 */
export const makeDemandResource = Effect.map(Runs, (runs) => {
  const sessionOf = Effect.fnUntraced(
    function* (caller: Caller, value: string) {
      const runId = yield* idOf(RunId, value)
      const run = yield* runs.readRun({ caller: yield* inWorkspace(caller), runId, waitSeconds: 0 })
      return run.sessionId
    },
    Effect.catchTag("RunNotFound", notFound)
  )

  const demandOne = Effect.fnUntraced(function* (caller: Caller, reads: KeyResource, parameter: Parameter) {
    const value = yield* valueOf(parameter)
    if (value === undefined) return yield* browserKeysReadOne()
    const mayRead =
      parameter === `${reads.type}_id`
        ? value === reads.id
        : reads.type === "session" && (yield* sessionOf(caller, value)) === reads.id
    if (!mayRead) return yield* notFound()
  })

  return (
    caller: Caller,
    { browser }: EndpointAccess
  ): Effect.Effect<
    void,
    BadRequest | Forbidden | NotFound,
    HttpRouter.RouteContext | HttpServerRequest.ParsedSearchParams
  > => {
    const { credential } = caller
    if (credential.type === "session" || credential.reads === null) return Effect.void
    return browser === undefined ? Effect.fail(browserKeysReadOne()) : demandOne(caller, credential.reads, browser)
  }
})
