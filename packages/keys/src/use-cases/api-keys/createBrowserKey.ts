import type { IdempotencyRequest, OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import type { KeyResource } from "../../ApiKey.ts"
import type { KeyGrantor } from "../../KeyGrant.ts"
import type { RateLimit } from "../../RequestBucket.ts"
import { createApiKey } from "./createApiKey.ts"

/** The longest life of a browser key, in seconds: 15 minutes. */
export const BROWSER_KEY_SECONDS_MAX = 900

const SCOPES: ReadonlyArray<string> = ["runs:read"]

/** The rate limit of a browser key, so that one page does not use up the limit of its workspace. */
const RATE_LIMIT: RateLimit = { limit: 120, windowSeconds: 60 }

/**
 * Makes a temporary key that reads one run, or one session with its runs, for a page in a browser. The caller must know that the
 * run or session exists. The key is accepted from the networks of the key that made it. Fails as `createApiKey` does.
 */
export const createBrowserKey = useCase("keys.createBrowserKey")(function* (command: {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly creator: KeyGrantor
  readonly reads: KeyResource
  /** 1 to `BROWSER_KEY_SECONDS_MAX`, by the contract's schema. */
  readonly seconds: number
  readonly idempotency: IdempotencyRequest | undefined
}) {
  const { creator, idempotency, organizationId, reads, seconds, workspaceId } = command
  return yield* createApiKey({
    owner: { organizationId, workspaceId },
    // With this scope alone: `holdGrantor` refuses a creator who has lost `keys:write`, which a browser key does not need.
    creator: { ...creator, scopes: creator.scopes.filter((scope) => SCOPES.includes(scope)) },
    name: "Browser key",
    scopes: SCOPES,
    expiresAt: DateTime.add(yield* DateTime.now, { seconds }),
    allowedIps: undefined,
    rateLimit: RATE_LIMIT,
    metadata: {},
    temporary: { reads },
    idempotency
  })
})
