/** Templates of an organization for the agents of its workspaces. */
import { Api } from "@agent-platform/contract"
import type { Template } from "@agent-platform/kernel"
import type { WrittenTemplate } from "@agent-platform/platform"
import { agentTemplateSettings, changedAgentTemplate, newAgentTemplate } from "@agent-platform/runs"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { idempotencyProblems, notFound } from "../edge/problems.ts"
import { creation } from "../idempotency.ts"
import { versionOf } from "../ifMatch.ts"
import { quotaProblems } from "../quotas.ts"
import { agentSettingsView } from "../views/agentView.ts"
import { agentProblems, settingsOf } from "./agentBodies.ts"
import { makeTemplateHandlers, templateProblems, templateView } from "./templates.ts"

const view = (template: Template, shown: WrittenTemplate["shown"] = null) => ({
  ...templateView(template),
  ...agentSettingsView(agentTemplateSettings(template), shown)
})

/** Templates of agents. */
export const layerOrgAgentTemplates = HttpApiBuilder.group(
  Api,
  "orgAgentTemplates",
  Effect.fnUntraced(function* (handlers) {
    const { templates, ...common } = yield* makeTemplateHandlers("agent", "/api/v1/org/agent-templates", (template) =>
      view(template)
    )
    return handlers.handleAll({
      listAgentTemplates: common.list,
      getAgentTemplate: common.get,
      deleteAgentTemplate: common.delete,
      listAgentTemplateWorkspaces: common.listWorkspaces,

      createAgentTemplate: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const { name, recipe } = payload
        const creating = yield* common.creating({ headers, request })
        const make = newAgentTemplate({ ...settingsOf(payload), name, recipe })
        const { replayed, value } = yield* templates.createTemplate({ ...creating, make }).pipe(
          Effect.catchTags({
            // Of a repeated request whose template is gone.
            TemplateNotFound: notFound,
            ...quotaProblems,
            ...idempotencyProblems,
            ...agentProblems(payload)
          })
        )
        return creation(view(value.template, value.shown), replayed)
      }),

      updateAgentTemplate: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const named = yield* common.named(params)
        const { shown, template } = yield* templates
          .updateTemplate({
            ...named,
            ifVersion: versionOf(headers),
            prepare: changedAgentTemplate(settingsOf(payload))
          })
          .pipe(Effect.catchTags({ ...templateProblems, ...agentProblems(payload) }))
        return view(template, shown)
      })
    })
  })
)
