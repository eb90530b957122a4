/** Templates of an organization for the provider keys of its workspaces. */
import { Api } from "@agent-platform/contract"
import type { Template } from "@agent-platform/kernel"
import {
  changedProviderKeyTemplate,
  newProviderKeyTemplate,
  providerKeySettings,
  revokedProviderKeyTemplate
} from "@agent-platform/keys"
import { DateTime, Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { idempotencyProblems, notFound, urlNotPublic } from "../edge/problems.ts"
import { creation } from "../idempotency.ts"
import { versionOf } from "../ifMatch.ts"
import { quotaProblems } from "../quotas.ts"
import { baseUrlMisplaced, newKeyIn, rejectedKey, revokedKey } from "./providerKeyBodies.ts"
import { makeTemplateHandlers, templateProblems, templateView } from "./templates.ts"

const view = (template: Template) => {
  const { revokedAt, validatedAt, ...settings } = providerKeySettings(template)
  return {
    ...templateView(template),
    ...settings,
    status: revokedAt === null ? ("active" as const) : ("revoked" as const),
    lastValidatedAt: validatedAt === null ? null : DateTime.makeUnsafe(validatedAt)
  }
}

/** Templates of provider keys. */
export const layerOrgProviderKeys = HttpApiBuilder.group(
  Api,
  "orgProviderKeys",
  Effect.fnUntraced(function* (handlers) {
    const { templates, ...common } = yield* makeTemplateHandlers("provider_key", "/api/v1/org/provider-keys", view)
    return handlers.handleAll({
      listProviderKeyTemplates: common.list,
      getProviderKeyTemplate: common.get,
      deleteProviderKeyTemplate: common.delete,
      listProviderKeyTemplateWorkspaces: common.listWorkspaces,

      createProviderKeyTemplate: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const creating = yield* common.creating({ headers, request })
        const make = newProviderKeyTemplate({ ...newKeyIn(payload), provider: payload.provider })
        const created = yield* templates.createTemplate({ ...creating, make }).pipe(
          Effect.catchTags({
            // Of a repeated request whose template is gone.
            TemplateNotFound: notFound,
            ...quotaProblems,
            ...idempotencyProblems,
            BaseUrlMisplaced: baseUrlMisplaced,
            ProviderRejectedKey: rejectedKey,
            UrlNotPublic: ({ detail }) => urlNotPublic("/base_url", detail)
          })
        )
        return creation(view(created.value.template), created.replayed)
      }),

      updateProviderKeyTemplate: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const { key, validate, ...change } = payload
        const value = key === undefined ? undefined : Redacted.make(key)
        const named = yield* common.named(params)
        const { template } = yield* templates
          .updateTemplate({
            ...named,
            ifVersion: versionOf(headers),
            prepare: changedProviderKeyTemplate({ change: { ...change, value }, validate })
          })
          .pipe(
            Effect.catchTags({ ...templateProblems, ProviderRejectedKey: rejectedKey, ProviderKeyRevoked: revokedKey })
          )
        return view(template)
      }),

      revokeProviderKeyTemplate: Effect.fnUntraced(function* ({ params }) {
        const named = yield* common.named(params)
        const prepare = () => Effect.succeed(revokedProviderKeyTemplate)
        const { template } = yield* templates
          .updateTemplate({ ...named, ifVersion: undefined, prepare })
          // Without `ifVersion` there is no TemplateChanged.
          .pipe(Effect.catchTags({ TemplateNotFound: notFound, TemplateChanged: Effect.die }))
        return view(template)
      })
    })
  })
)
