/** What the handlers of workspace keys and of organization keys have in common. */
import { type auth, type Caller, CurrentCaller, Forbidden, type UnprocessableContent } from "@agent-platform/contract"
import { parseId } from "@agent-platform/kernel"
import { ApiKeyId, type KeyOwner, Keys, type ScopeNotGrantable, scopesOfKind } from "@agent-platform/keys"
import { DateTime, Effect, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { creation, idempotencyOf, ownerOf } from "../idempotency.ts"
import { apiKeyView } from "../views/apiKeyView.ts"

interface CreateCall {
  readonly payload: typeof auth.NewApiKey.Type
  readonly headers: { readonly "idempotency-key"?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

interface ListCall {
  readonly query: { readonly limit: number; readonly cursor?: string }
}

/** Asking for what one lacks is forbidden; asking for what no such key can have is a fault of the request. */
const scopeProblem = (owner: KeyOwner, { scopes }: ScopeNotGrantable): Forbidden | UnprocessableContent => {
  const possible: ReadonlyArray<string> = scopesOfKind(owner.workspaceId === null ? "organization" : "workspace")
  const impossible = scopes.filter((scope) => !possible.includes(scope))
  return impossible.length > 0
    ? invalid("/scopes", `must not name ${impossible.join(", ")}: no key of this kind can have it`)
    : new Forbidden({
        code: "insufficient_scope",
        detail: `The API key cannot give what it lacks: ${scopes.join(", ")}`
      })
}

const expiryOf = (payload: CreateCall["payload"], now: DateTime.Utc): DateTime.Utc | undefined => {
  const seconds = payload.expiresInSeconds ?? undefined
  return seconds === undefined ? (payload.expiresAt ?? undefined) : DateTime.add(now, { seconds })
}

/** The three handlers for the keys at `path`, whose owner follows from the caller. */
export const makeKeyHandlers = Effect.fnUntraced(function* (path: string, ownerOfKeys: (caller: Caller) => KeyOwner) {
  const keys = yield* Keys
  const cursors = yield* makeCursors

  const create = Effect.fnUntraced(function* (call: CreateCall) {
    const caller = yield* CurrentCaller
    const owner = ownerOfKeys(caller)
    const now = yield* DateTime.now
    const created = yield* keys
      .createApiKey({
        owner,
        creator: { actor: caller.actor, scopes: caller.scopes, expiresAt: caller.credential.expiresAt },
        name: call.payload.name,
        scopes: call.payload.scopes,
        expiresAt: expiryOf(call.payload, now),
        metadata: call.payload.metadata ?? {},
        idempotency: yield* idempotencyOf(`POST ${path}`, owner.workspaceId ?? owner.organizationId, call)
      })
      .pipe(
        Effect.catchTags({
          ...idempotencyProblems,
          ScopeNotGrantable: (error) => Effect.fail(scopeProblem(owner, error)),
          ExpiryNotGrantable: ({ detail }) => Effect.fail(invalid("/expires_at", `cannot be granted. ${detail}`)),
          ApiKeyNotFound: () => Effect.fail(notFound())
        })
      )
    const { key, value } = created.value
    return creation({ ...apiKeyView(key, now), key: value === null ? null : Redacted.value(value) }, created.replayed)
  })

  const list = Effect.fnUntraced(function* ({ query }: ListCall) {
    const caller = yield* CurrentCaller
    const scope = { route: `GET ${path}`, owner: ownerOf(caller), filters: {} }
    const before = yield* cursors.read(scope, query.cursor)
    const page = yield* keys.listApiKeys({ owner: ownerOfKeys(caller), page: { limit: query.limit, before } })
    const now = yield* DateTime.now
    return { items: page.items.map((key) => apiKeyView(key, now)), nextCursor: cursors.write(scope, page.next) }
  })

  const revoke = Effect.fnUntraced(function* ({ params }: { readonly params: { readonly key_id: string } }) {
    const owner = ownerOfKeys(yield* CurrentCaller)
    const id = parseId(ApiKeyId, params.key_id)
    if (id === undefined) return yield* notFound()
    const key = yield* keys
      .revokeApiKey({ owner, id })
      .pipe(Effect.catchTag("ApiKeyNotFound", () => Effect.fail(notFound())))
    return { id: key.id, status: "revoked" as const, revokedAt: key.revokedAt ?? (yield* DateTime.now) }
  })

  return { create, list, revoke }
})
