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
 * Makes what answers by what a request is the same as another: undefined without an Idempotency-Key. The body was read and
 * is JSON, for the endpoint has decoded it; one that takes no body says so. Spec: Idempotency keys.
 */
export const makeIdempotencyOf = Effect.map(Fingerprints, (fingerprints) =>
  Effect.fnUntraced(function* (
    route: string,
    owner: string,
    { headers, request }: Creating,
    takes: "body" | "nothing" = "body"
  ) {
    const key = headers["idempotency-key"]
    if (key === undefined) return undefined
    const body = takes === "nothing" ? null : yield* Effect.orDie(request.json)
    const bodyHash = yield* fingerprints.of("request", utf8.encode(canonicalJson(body)))
    return { scope: owner, route, key, bodyHash } satisfies IdempotencyRequest
  })
)

/** The header of an answer to a request whose work an earlier one had done already. */
export const replayHeaders = (replayed: boolean): Readonly<Record<string, string>> =>
  replayed ? { "idempotency-replayed": "true" as const } : {}

/** The answer of a creation. */
export const creation = <Body>(body: Body, replayed: boolean) =>
  HttpApiSchema.withHeaders({ body, headers: replayHeaders(replayed) })

/** The answer to what was accepted, and can be read at `location`. */
export const acceptance = <Body>(body: Body, location: string, replayed: boolean) =>
  HttpApiSchema.withHeaders({ body, headers: { location, ...replayHeaders(replayed) } })
