import type { IdempotencyRequest, OrganizationId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import type { KeyGrantor } from "../../KeyGrant.ts"
import { createApiKey } from "./createApiKey.ts"

/** The longest life of a grant, in seconds: 12 hours. */
export const GRANT_SECONDS_MAX = 43_200

/** The scopes of a grant. No role of a person has them, but owners and admins may give them: see `defaultScopes`. */
const SCOPES: ReadonlyArray<string> = ["webhooks:read", "webhooks:write"]

/**
 * Makes a temporary organization key with which an owner's or admin's page operates webhooks. It ends with the session, with the
 * membership and with the role. `until` is when the session ends at the latest. Fails as `createApiKey` does. Spec: Organization
 * API keys 3 and 4.
 */
export const createWebhookGrant = useCase("keys.createWebhookGrant")(function* (command: {
  readonly organizationId: OrganizationId
  readonly creator: KeyGrantor
  readonly until: DateTime.Utc
  /** 1 to `GRANT_SECONDS_MAX`. */
  readonly seconds: number
  readonly idempotency: IdempotencyRequest | undefined
}) {
  const { creator, idempotency, organizationId, seconds, until } = command
  return yield* createApiKey({
    owner: { organizationId, workspaceId: null },
    creator,
    name: "Webhook grant",
    scopes: SCOPES,
    expiresAt: DateTime.min(DateTime.add(yield* DateTime.now, { seconds }), until),
    allowedIps: [],
    rateLimit: null,
    metadata: {},
    temporary: { reads: null },
    idempotency
  })
})
