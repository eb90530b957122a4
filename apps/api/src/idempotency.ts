import { canonicalJson, Fingerprints, type IdempotencyRequest } from "@agent-platform/kernel"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"

/** A request that creates something. */
export interface Creating {
  readonly headers: { readonly "idempotency-key"?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

const utf8 = new TextEncoder()

/**
 * Makes the function that returns the facts by which a request counts as a repetition of another; undefined without an
 * Idempotency-Key. The endpoint has decoded the body, so it is JSON. For an endpoint without one, which says
 * `hasBody: false`, the route alone tells requests apart. Spec: Idempotency keys.
 */
export const makeIdempotencyOf = Effect.map(Fingerprints, (fingerprints) =>
  Effect.fnUntraced(function* (
    route: string,
    owner: string,
    { headers, request }: Creating,
    { hasBody = true }: { readonly hasBody?: boolean } = {}
  ) {
    const key = headers["idempotency-key"]
    if (key === undefined) return undefined
    const body = hasBody ? yield* Effect.orDie(request.json) : null
    const bodyHash = yield* fingerprints.of("request", utf8.encode(canonicalJson(body)))
    return { scope: owner, route, key, bodyHash } satisfies IdempotencyRequest
  })
)

/** The header of the response to a request that repeats an earlier one. */
export const replayHeaders = (replayed: boolean): Readonly<Record<string, string>> =>
  replayed ? { "idempotency-replayed": "true" as const } : {}

/** The response to a creation. */
export const creation = <Body>(body: Body, replayed: boolean) =>
  HttpApiSchema.withHeaders({ body, headers: replayHeaders(replayed) })

/** The response to a request that was accepted and whose result can be read at `location`. */
export const acceptance = <Body>(body: Body, location: string, replayed: boolean) =>
  HttpApiSchema.withHeaders({ body, headers: { location, ...replayHeaders(replayed) } })
