/** Organization keys with which an owner or admin operates webhooks while the session lasts. */
import { type apiKeys, CurrentCaller } from "@agent-platform/contract"
import { type KeyOwner, Keys } from "@agent-platform/keys"
import { DateTime, Effect } from "effect"
import { grantorOf } from "../callers.ts"
import { notFound } from "../edge/problems.ts"
import { type Creating, creation, makeIdempotencyOf } from "../idempotency.ts"
import { newKeyView } from "./keyHandlers.ts"
import { creationProblems } from "./keyProblems.ts"

const ROUTE = "POST /api/v1/org/webhook-grants"

interface GrantCall extends Creating {
  readonly payload: typeof apiKeys.NewWebhookGrant.Type
}

/** Makes the handler that creates a grant for the session of the request. */
export const makeWebhookGrantHandler = Effect.gen(function* () {
  const keys = yield* Keys
  const idempotencyOf = yield* makeIdempotencyOf
  return Effect.fnUntraced(function* (call: GrantCall) {
    const caller = yield* CurrentCaller
    const { credential, organizationId } = caller
    // Never happens, since the endpoint admits sessions only.
    if (credential.type !== "session") return yield* notFound()
    const owner: KeyOwner = { organizationId, workspaceId: null }
    const { replayed, value: made } = yield* keys
      .createWebhookGrant({
        organizationId,
        creator: grantorOf(caller),
        until: credential.expiresAt,
        seconds: call.payload.expiresInSeconds,
        idempotency: yield* idempotencyOf(ROUTE, organizationId, call)
      })
      .pipe(Effect.catchTags(creationProblems(caller, owner)))
    return creation(newKeyView(made.key, made.value, yield* DateTime.now), replayed)
  })
})
