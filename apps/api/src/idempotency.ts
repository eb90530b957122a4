import type { Caller } from "@agent-platform/contract"
import { canonicalJson, Fingerprints, type IdempotencyRequest } from "@agent-platform/kernel"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"

interface Creation {
  readonly headers: { readonly "idempotency-key"?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

const utf8 = new TextEncoder()

/**
 * Makes what answers by what a request is the same as another: undefined without an Idempotency-Key. The body was read and
 * is JSON, for the endpoint has decoded it. Spec: Idempotency keys.
 */
export const makeIdempotencyOf = Effect.map(Fingerprints, (fingerprints) =>
  Effect.fnUntraced(function* (route: string, owner: string, { headers, request }: Creation) {
    const key = headers["idempotency-key"]
    if (key === undefined) return undefined
    const body = yield* Effect.orDie(request.json)
    const bodyHash = yield* fingerprints.of("request", utf8.encode(canonicalJson(body)))
    return { scope: owner, route, key, bodyHash } satisfies IdempotencyRequest
  })
)

/** Whose keys those of a caller are: the workspace's, or else the organization's. */
export const ownerOf = (caller: Caller): string => caller.workspaceId ?? caller.organizationId

/** The answer of a creation, marked when an earlier request had created it already. */
export const creation = <Body>(body: Body, replayed: boolean) =>
  HttpApiSchema.withHeaders({ body, headers: replayed ? { "idempotency-replayed": "true" as const } : {} })
