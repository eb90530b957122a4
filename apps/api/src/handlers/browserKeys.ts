/** The common part of the handlers that make browser keys. */
import { type browserKeys, CurrentCaller } from "@agent-platform/contract"
import { type KeyResource, Keys } from "@agent-platform/keys"
import { DateTime, Effect, Redacted } from "effect"
import { grantorOf, workspaceCaller } from "../callers.ts"
import { type Creating, creation, makeIdempotencyOf } from "../idempotency.ts"
import { creationProblems } from "./keyProblems.ts"

interface CreateCall extends Creating {
  readonly payload: typeof browserKeys.NewBrowserKey.Type
}

/**
 * Makes the function that creates a key for a run or session, which the calling handler has found in the workspace. `subject` is the
 * member of the response that names the run or session.
 */
export const makeBrowserKeyHandler = Effect.gen(function* () {
  const keys = yield* Keys
  const idempotencyOf = yield* makeIdempotencyOf
  return Effect.fnUntraced(function* <Subject extends object>(call: CreateCall, reads: KeyResource, subject: Subject) {
    const caller = yield* CurrentCaller
    const { organizationId, workspaceId } = yield* workspaceCaller
    // The id belongs to the route: the same idempotency key for another run is another request.
    const route = `POST /api/v1/${reads.type}s/${reads.id}/browser-keys`
    const { replayed, value: made } = yield* keys
      .createBrowserKey({
        organizationId,
        workspaceId,
        creator: grantorOf(caller),
        reads,
        seconds: call.payload.expiresInSeconds,
        idempotency: yield* idempotencyOf(route, workspaceId, call)
      })
      .pipe(Effect.catchTags(creationProblems(caller, { organizationId, workspaceId })))
    const { key, value } = made
    const body = {
      id: key.id,
      key: value === null ? null : Redacted.value(value),
      expiresAt: key.expiresAt ?? (yield* DateTime.now),
      ...subject
    }
    return creation(body, replayed)
  })
})
