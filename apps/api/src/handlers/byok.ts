import { Api, Conflict, UnprocessableContent } from "@agent-platform/contract"
import { parseId } from "@agent-platform/kernel"
import { Provider, ProviderKeyId, ProviderKeys, type ProviderRejectedKey } from "@agent-platform/keys"
import { DateTime, Effect, Redacted, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { quotaDetail } from "../quotas.ts"
import { providerKeyView } from "../views/providerKeyView.ts"

const PATH = "/api/v1/byok"

const rejected = ({ providerCode, providerStatus }: ProviderRejectedKey) =>
  new UnprocessableContent({
    code: "provider_rejected_key",
    detail: "The model provider does not take this key",
    errors: [{ pointer: "/key", code: "invalid_value", detail: "is refused by the model provider" }],
    provider_status: providerStatus,
    provider_code: providerCode
  })

const urlNotPublic = (detail: string) =>
  new UnprocessableContent({
    code: "url_not_public",
    detail,
    errors: [{ pointer: "/base_url", code: "invalid_value", detail }]
  })

const baseUrlMisplaced = (missing: boolean) =>
  missing
    ? invalid("/base_url", "is required for this provider", "required")
    : invalid("/base_url", "must not be given: the provider has an address of its own")

const revoked = () =>
  new UnprocessableContent({ code: "validation_failed", detail: "The key is revoked and its value erased" })

const versionConflict = (version: number) =>
  new Conflict({ code: "version_conflict", detail: `The key has changed: it is at version ${version}` })

const limitReached = (limit: number) =>
  new Conflict({
    code: "provider_key_limit_reached",
    detail: quotaDetail("provider_keys", "workspace", limit)
  })

const unreadable = () =>
  new Conflict({
    code: "provider_key_unreadable",
    detail: "The key's value cannot be opened. Give the key its value again, or register another"
  })

const keyId = ({ provider_or_key_id }: { readonly provider_or_key_id: string }) => {
  const id = parseId(ProviderKeyId, provider_or_key_id)
  return id === undefined ? Effect.fail(notFound()) : Effect.succeed(id)
}

const problems = {
  ProviderKeyNotFound: () => Effect.fail(notFound()),
  ProviderKeyRevoked: () => Effect.fail(revoked())
}

/** A workspace's own keys for model providers. */
export const layerByok = HttpApiBuilder.group(
  Api,
  "byok",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* ProviderKeys
    const cursors = yield* makeCursors
    const idempotencyOf = yield* makeIdempotencyOf
    return handlers.handleAll({
      listProviderKeys: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* workspaceCaller
        const scope = { route: `GET ${PATH}/`, owner: caller.workspaceId, filters: {} }
        const before = yield* cursors.read(scope, query.cursor)
        const page = yield* keys.listProviderKeys({ caller, page: { limit: query.limit, before } })
        const now = yield* DateTime.now
        return {
          items: page.items.map((key) => providerKeyView(key, now)),
          nextCursor: cursors.write(scope, page.next)
        }
      }),

      registerProviderKey: Effect.fnUntraced(function* ({ headers, params, payload, request }) {
        const caller = yield* workspaceCaller
        const provider = params.provider_or_key_id
        if (!Schema.is(Provider)(provider)) return yield* notFound()
        const registered = yield* keys
          .registerProviderKey({
            caller,
            provider,
            value: Redacted.make(payload.key),
            name: payload.name ?? undefined,
            baseUrl: payload.baseUrl ?? null,
            allowedModels: payload.allowedModels ?? null,
            priority: payload.priority,
            fallback: payload.fallback,
            validate: payload.validate,
            idempotency: yield* idempotencyOf(`POST ${PATH}/${provider}`, caller.workspaceId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              BaseUrlMisplaced: ({ missing }) => Effect.fail(baseUrlMisplaced(missing)),
              ProviderKeyLimitReached: ({ limit }) => Effect.fail(limitReached(limit)),
              ProviderKeyNotFound: problems.ProviderKeyNotFound,
              ProviderRejectedKey: (refused) => Effect.fail(rejected(refused)),
              UrlNotPublic: ({ detail }) => Effect.fail(urlNotPublic(detail))
            })
          )
        return creation(providerKeyView(registered.value, yield* DateTime.now), registered.replayed)
      }),

      updateProviderKey: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const caller = yield* workspaceCaller
        const version = headers["if-match"]?.replaceAll('"', "")
        const { allowedModels, fallback, key: value, name, priority, validate } = payload
        const key = yield* keys
          .updateProviderKey({
            caller,
            id: yield* keyId(params),
            ifVersion: version === undefined ? undefined : Number(version),
            change: {
              allowedModels,
              fallback,
              name,
              priority,
              value: value === undefined ? undefined : Redacted.make(value)
            },
            validate
          })
          .pipe(
            Effect.catchTags({
              ...problems,
              ProviderKeyChanged: (changed) => Effect.fail(versionConflict(changed.version)),
              ProviderRejectedKey: (refused) => Effect.fail(rejected(refused))
            })
          )
        return providerKeyView(key, yield* DateTime.now)
      }),

      validateProviderKey: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const id = yield* keyId(params)
        const key = yield* keys
          .validateProviderKey({ caller, id })
          .pipe(Effect.catchTags({ ...problems, ProviderKeyUnreadable: () => Effect.fail(unreadable()) }))
        return providerKeyView(key, yield* DateTime.now)
      }),

      revokeProviderKey: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const id = yield* keyId(params)
        const key = yield* keys
          .revokeProviderKey({ caller, id })
          .pipe(Effect.catchTag("ProviderKeyNotFound", problems.ProviderKeyNotFound))
        return { id: key.id, status: "revoked" as const, revokedAt: key.revokedAt ?? (yield* DateTime.now) }
      })
    })
  })
)
