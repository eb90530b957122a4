/** Templates of an organization for the tool secrets of its workspaces. */
import { Api } from "@agent-platform/contract"
import type { Template } from "@agent-platform/kernel"
import { changedToolSecretTemplate, newToolSecretTemplate, toolSecretSettings } from "@agent-platform/keys"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { idempotencyProblems, notFound, urlNotPublic } from "../edge/problems.ts"
import { creation } from "../idempotency.ts"
import { versionOf } from "../ifMatch.ts"
import { quotaProblems } from "../quotas.ts"
import { makeTemplateHandlers, templateProblems, templateView } from "./templates.ts"
import { mismatch, newSecretIn, redacted } from "./toolSecretBodies.ts"

const view = (template: Template) => ({ ...templateView(template), ...toolSecretSettings(template) })

/** Templates of tool secrets. */
export const layerOrgToolSecrets = HttpApiBuilder.group(
  Api,
  "orgToolSecrets",
  Effect.fnUntraced(function* (handlers) {
    const { templates, ...common } = yield* makeTemplateHandlers("tool_secret", "/api/v1/org/tool-secrets", view)
    return handlers.handleAll({
      listToolSecretTemplates: common.list,
      getToolSecretTemplate: common.get,
      deleteToolSecretTemplate: common.delete,
      listToolSecretTemplateWorkspaces: common.listWorkspaces,

      createToolSecretTemplate: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const given = newSecretIn(payload)
        // Never happens, since the schema refuses such bodies.
        if (given === undefined) return yield* notFound()
        const creating = yield* common.creating({ headers, request })
        const created = yield* templates.createTemplate({ ...creating, make: newToolSecretTemplate(given) }).pipe(
          Effect.catchTags({
            // Of a repeated request whose template is gone.
            TemplateNotFound: notFound,
            ...quotaProblems,
            ...idempotencyProblems,
            UrlNotPublic: ({ detail }) => urlNotPublic("/oauth/token_url", detail)
          })
        )
        return creation(view(created.value.template), created.replayed)
      }),

      updateToolSecretTemplate: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const { name, oauth, value } = payload
        const change = changedToolSecretTemplate({
          name,
          oauth,
          value: redacted(value),
          clientSecret: redacted(oauth?.clientSecret)
        })
        const named = yield* common.named(params)
        const { template } = yield* templates
          .updateTemplate({ ...named, ifVersion: versionOf(headers), prepare: () => Effect.succeed(change) })
          .pipe(Effect.catchTags({ ...templateProblems, ToolSecretMismatch: mismatch }))
        return view(template)
      })
    })
  })
)
