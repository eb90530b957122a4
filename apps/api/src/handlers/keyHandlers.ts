/** The common part of the handlers of workspace keys and organization keys. */
import { type apiKeys, type Caller, Conflict, CurrentCaller } from "@agent-platform/contract"
import { type ApiKey, ApiKeyId, type ApiKeyNotFound, type KeyOwner, Keys } from "@agent-platform/keys"
import { DateTime, Effect, Redacted } from "effect"
import { grantorOf } from "../callers.ts"
import { type ListCall, makeCursors } from "../cursors.ts"
import { idempotencyProblems, notFound } from "../edge/problems.ts"
import { type Creating, creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"
import { versionOf } from "../ifMatch.ts"
import { apiKeyView } from "../views/apiKeyView.ts"
import { canonicalOf, changeOf, expiryOf } from "./keyBodies.ts"
import { creationProblems, grantProblems, settled } from "./keyProblems.ts"

interface WithKey {
  readonly params: { readonly key_id: string }
}

interface CreateCall extends Creating {
  readonly payload: typeof apiKeys.NewApiKey.Type
}

interface UpdateCall extends WithKey {
  readonly payload: typeof apiKeys.ApiKeyChange.Type
  readonly headers: { readonly "if-match"?: string }
}

interface RotateCall extends WithKey, Creating {
  readonly payload: typeof apiKeys.ApiKeyRotation.Type
}

interface RevokeCall extends WithKey {
  readonly query: { readonly descendants?: "true" | "false" }
}

const versionConflict = (version: number) =>
  new Conflict({ code: "version_conflict", detail: `The key is at version ${version} by now` })

/** A new key with its value, as the contract shows it. */
export const newKeyView = (key: ApiKey, value: Redacted.Redacted | null, now: DateTime.Utc) => ({
  ...apiKeyView(key, now),
  key: value === null ? null : Redacted.value(value)
})

/** The handlers for the keys at `path`, whose owner follows from the caller. */
export const makeKeyHandlers = Effect.fnUntraced(function* (path: string, ownerOfKeys: (caller: Caller) => KeyOwner) {
  const keys = yield* Keys
  const cursors = yield* makeCursors
  const idempotencyOf = yield* makeIdempotencyOf

  const idempotency = (route: string, owner: KeyOwner, call: Creating) =>
    idempotencyOf(`POST ${route}`, owner.workspaceId ?? owner.organizationId, call)

  const create = Effect.fnUntraced(function* (call: CreateCall) {
    const caller = yield* CurrentCaller
    const owner = ownerOfKeys(caller)
    const now = yield* DateTime.now
    const { payload } = call
    const created = yield* keys
      .createApiKey({
        owner,
        creator: grantorOf(caller),
        name: payload.name,
        scopes: payload.scopes,
        expiresAt: expiryOf(payload, now),
        allowedIps: payload.allowedIps === undefined ? undefined : canonicalOf(payload.allowedIps),
        rateLimit: payload.rateLimit ?? null,
        metadata: payload.metadata ?? {},
        idempotency: yield* idempotency(path, owner, call)
      })
      .pipe(Effect.catchTags(creationProblems(caller, owner)))
    const { key, value } = created.value
    return creation(newKeyView(key, value, now), created.replayed)
  })

  const list = Effect.fnUntraced(function* ({ query }: ListCall) {
    const caller = yield* CurrentCaller
    const owner = ownerOfKeys(caller)
    const scope = { route: `GET ${path}`, owner: owner.workspaceId ?? owner.organizationId, filters: {} }
    const now = yield* DateTime.now
    return yield* cursors.page(
      scope,
      query,
      (page) => keys.listApiKeys({ owner, page }),
      (key) => apiKeyView(key, now)
    )
  })

  const update = Effect.fnUntraced(function* (call: UpdateCall) {
    const caller = yield* CurrentCaller
    const owner = ownerOfKeys(caller)
    const key = yield* keys
      .updateApiKey({
        owner,
        id: yield* idOf(ApiKeyId, call.params.key_id),
        change: changeOf(call.payload),
        changer: grantorOf(caller),
        ifVersion: versionOf(call.headers)
      })
      .pipe(
        Effect.catchTags({
          ...grantProblems(caller, owner),
          ApiKeyNotFound: notFound,
          ApiKeySettled: ({ status }) => settled("changed", status),
          ApiKeyVersionConflict: (error) => versionConflict(error.version)
        })
      )
    return apiKeyView(key, yield* DateTime.now)
  })

  const rotate = Effect.fnUntraced(function* (call: RotateCall) {
    const caller = yield* CurrentCaller
    const owner = ownerOfKeys(caller)
    const id = yield* idOf(ApiKeyId, call.params.key_id)
    const rotated = yield* keys
      .rotateApiKey({
        owner,
        id,
        rotator: grantorOf(caller),
        graceSeconds: call.payload.graceSeconds,
        // The id belongs to the route: the same idempotency key for another API key is another request.
        idempotency: yield* idempotency(`${path}/${id}/rotate`, owner, call)
      })
      .pipe(
        Effect.catchTags({
          ...idempotencyProblems,
          ...grantProblems(caller, owner),
          ApiKeyNotFound: notFound,
          ApiKeySettled: ({ status }) => settled("rotated", status)
        })
      )
    const { key, old, value } = rotated.value
    const now = yield* DateTime.now
    const replaced = { id: old.id, status: "rotating" as const, expiresAt: old.expiresAt ?? now }
    return creation({ new: newKeyView(key, value, now), old: replaced }, rotated.replayed)
  })

  const revoke = Effect.fnUntraced(function* (call: RevokeCall) {
    const caller = yield* CurrentCaller
    const command = { owner: ownerOfKeys(caller), id: yield* idOf(ApiKeyId, call.params.key_id), actor: caller.actor }
    const revoking: Effect.Effect<{ readonly key: ApiKey; readonly descendants?: number }, ApiKeyNotFound> =
      call.query.descendants === "true"
        ? keys.revokeWithDescendants(command)
        : Effect.map(keys.revokeApiKey(command), (key) => ({ key }))
    const { descendants, key } = yield* Effect.catchTag(revoking, "ApiKeyNotFound", notFound)
    return {
      id: key.id,
      status: "revoked" as const,
      revokedAt: key.revokedAt ?? (yield* DateTime.now),
      ...(descendants === undefined ? {} : { descendantsRevoked: descendants })
    }
  })

  return { create, list, update, rotate, revoke }
})
