import { createHash } from "node:crypto"
import type { Caller } from "@agent-platform/contract"
import type { IdempotencyRequest } from "@agent-platform/kernel"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { canonicalJson } from "./canonicalJson.ts"

/**
 * What makes this request the same as another: undefined without an Idempotency-Key. The body was read and is JSON, for
 * the endpoint has decoded it. Contract: Errors, Idempotency-Key.
 */
export const idempotencyOf = (
  route: string,
  owner: string,
  call: {
    readonly headers: { readonly "idempotency-key"?: string }
    readonly request: HttpServerRequest.HttpServerRequest
  }
): Effect.Effect<IdempotencyRequest | undefined> => {
  const key = call.headers["idempotency-key"]
  if (key === undefined) return Effect.succeed(undefined)
  return call.request.json.pipe(
    Effect.orDie,
    Effect.map((body) => ({
      scope: owner,
      route,
      key,
      bodyHash: createHash("sha256").update(canonicalJson(body)).digest("hex")
    }))
  )
}

/** Whose keys those of a caller are: the workspace's, or else the organization's. */
export const ownerOf = (caller: Caller): string => caller.workspaceId ?? caller.organizationId

/** The answer of a creation, marked when an earlier request had created it already. */
export const creation = <Body>(body: Body, replayed: boolean) =>
  HttpApiSchema.withHeaders({ body, headers: replayed ? { "idempotency-replayed": "true" as const } : {} })
