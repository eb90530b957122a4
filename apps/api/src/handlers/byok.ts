import { Api, Conflict } from "@agent-platform/contract"
import { Provider, ProviderKeyId, ProviderKeys } from "@agent-platform/keys"
import { DateTime, Effect, Redacted, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, notFound, urlNotPublic } from "../edge/problems.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"
import { versionOf } from "../ifMatch.ts"
import { quotaDetail } from "../quotas.ts"
import { providerKeyView } from "../views/providerKeyView.ts"
import { baseUrlMisplaced, newKeyIn, rejectedKey, revokedKey } from "./providerKeyBodies.ts"

const PATH = "/api/v1/byok"

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

/** The id of the key. POST names a provider at the same place of the path, so the parameter is called `provider` for all methods. */
const keyIdIn = ({ provider }: { readonly provider: string }) => idOf(ProviderKeyId, provider)

const problems = {
  ProviderKeyNotFound: notFound,
  ProviderKeyRevoked: revokedKey
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
        const now = yield* DateTime.now
        return yield* cursors.page(
          scope,
          query,
          (page) => keys.listProviderKeys({ caller, page }),
          (key) => providerKeyView(key, now)
        )
      }),

      registerProviderKey: Effect.fnUntraced(function* ({ headers, params, payload, request }) {
        const caller = yield* workspaceCaller
        const provider = params.provider
        if (!Schema.is(Provider)(provider)) return yield* notFound()
        const registered = yield* keys
          .registerProviderKey({
            caller,
            provider,
            ...newKeyIn(payload),
            idempotency: yield* idempotencyOf(`POST ${PATH}/${provider}`, caller.workspaceId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              BaseUrlMisplaced: baseUrlMisplaced,
              ProviderKeyLimitReached: ({ limit }) => limitReached(limit),
              ProviderKeyNotFound: problems.ProviderKeyNotFound,
              ProviderRejectedKey: rejectedKey,
              UrlNotPublic: ({ detail }) => urlNotPublic("/base_url", detail)
            })
          )
        return creation(providerKeyView(registered.value, yield* DateTime.now), registered.replayed)
      }),

      updateProviderKey: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const caller = yield* workspaceCaller
        const { allowedModels, fallback, key: value, name, priority, validate } = payload
        const key = yield* keys
          .updateProviderKey({
            caller,
            id: yield* keyIdIn(params),
            ifVersion: versionOf(headers),
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
              ProviderKeyChanged: (changed) => versionConflict(changed.version),
              ProviderRejectedKey: rejectedKey
            })
          )
        return providerKeyView(key, yield* DateTime.now)
      }),

      validateProviderKey: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const key = yield* keys
          .validateProviderKey({ caller, id: yield* keyIdIn(params) })
          .pipe(Effect.catchTags({ ...problems, ProviderKeyUnreadable: unreadable }))
        return providerKeyView(key, yield* DateTime.now)
      }),

      revokeProviderKey: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const key = yield* keys
          .revokeProviderKey({ caller, id: yield* keyIdIn(params) })
          .pipe(Effect.catchTag("ProviderKeyNotFound", problems.ProviderKeyNotFound))
        return { id: key.id, status: "revoked" as const, revokedAt: key.revokedAt ?? (yield* DateTime.now) }
      })
    })
  })
)
