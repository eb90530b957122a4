import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { ApiKeyId } from "../ApiKey.ts"
import type { RateLimit, RateLimitReading } from "../RequestBucket.ts"

/** A key whose requests are counted. */
export interface LimitedKey {
  readonly organizationId: OrganizationId
  readonly id: ApiKeyId
  readonly rateLimit: RateLimit
}

/** A workspace whose requests are counted together, over all callers. */
export interface LimitedWorkspace {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly rateLimit: RateLimit
}

/** A key or a workspace whose requests are counted. */
export type Limited = LimitedKey | LimitedWorkspace

/** The id of the key or of the workspace. */
export const limitedId = (limited: Limited): string => ("id" in limited ? limited.id : limited.workspaceId)

/** Counts the requests of keys and of workspaces, for all processes together. Tested by `rateLimitsContract`. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /**
     * Takes all of `requests`, which are 1 up to the limit, or none, as `takeRequests` does, by one clock for all processes. Calls of
     * the same moment together take no more than the limit leaves. A key or a workspace whose limit was changed begins anew. The count
     * belongs to no transaction, and may be lost in a crash.
     */
    readonly take: (limited: Limited, requests: number) => Effect.Effect<RateLimitReading>
  }
>()("@agent-platform/keys/RateLimits") {
  /** For hosts that count no requests: every request is within its limit. */
  static readonly layerUnlimited: Layer.Layer<RateLimits> = Layer.succeed(RateLimits, {
    take: ({ rateLimit: { limit } }) =>
      Effect.succeed({ taken: true, remaining: limit, resetSeconds: 0, retryAfterSeconds: 0 })
  })
}
