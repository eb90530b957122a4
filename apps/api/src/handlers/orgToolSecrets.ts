/** Templates of an organization for the tool secrets of its workspaces. */
import { Api, Conflict, CurrentCaller, type toolSecrets } from "@agent-platform/contract"
import { type Template, type TemplateChanged, TemplateId } from "@agent-platform/kernel"
import {
  changedToolSecretTemplate,
  newToolSecretTemplate,
  Templates,
  toolSecretTemplate
} from "@agent-platform/platform"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, notFound, urlNotPublic } from "../edge/problems.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"
import { versionOf } from "../ifMatch.ts"
import { quotaProblems } from "../quotas.ts"
import { mismatch, newSecretIn, redacted } from "./toolSecretBodies.ts"

const PATH = "/api/v1/org/tool-secrets"

const problems = {
  TemplateNotFound: notFound,
  TemplateChanged: ({ version }: TemplateChanged) =>
    new Conflict({ code: "version_conflict", detail: `The template has changed: it is at version ${version}` }),
  ToolSecretMismatch: mismatch
}

const templateView = (template: Template): typeof toolSecrets.ToolSecretTemplateView.Type => {
  const { createdAt, id, spread, updatedAt, version } = template
  return {
    id,
    ...toolSecretTemplate(template),
    version,
    createdAt,
    updatedAt,
    spread: { workspacesDone: spread.done, workspacesTotal: spread.total, endedAt: spread.endedAt }
  }
}

/** Templates of tool secrets. */
export const layerOrgToolSecrets = HttpApiBuilder.group(
  Api,
  "orgToolSecrets",
  Effect.fnUntraced(function* (handlers) {
    const templates = yield* Templates
    const cursors = yield* makeCursors
    const idempotencyOf = yield* makeIdempotencyOf
    const templateOf = Effect.fnUntraced(function* ({ template_id }: { readonly template_id: string }) {
      const caller = yield* CurrentCaller
      return { caller, kind: "tool_secret" as const, id: yield* idOf(TemplateId, template_id) }
    })
    return handlers.handleAll({
      listToolSecretTemplates: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* CurrentCaller
        const scope = { route: `GET ${PATH}`, owner: caller.organizationId, filters: {} }
        return yield* cursors.page(
          scope,
          query,
          (page) => templates.listTemplates({ caller, kind: "tool_secret", page }),
          templateView
        )
      }),

      createToolSecretTemplate: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* CurrentCaller
        const given = newSecretIn(payload)
        // The schema has refused all of these already.
        if (given === undefined) return yield* notFound()
        const { value, ...settings } = given
        const created = yield* templates
          .createTemplate({
            caller,
            ...newToolSecretTemplate(settings),
            value,
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.organizationId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              TemplateNotFound: notFound,
              ...quotaProblems,
              ...idempotencyProblems,
              UrlNotPublic: ({ detail }) => urlNotPublic("/oauth/token_url", detail)
            })
          )
        return creation(templateView(created.value), created.replayed)
      }),

      getToolSecretTemplate: Effect.fnUntraced(function* ({ params }) {
        const of = yield* templateOf(params)
        return templateView(yield* templates.readTemplate(of).pipe(Effect.catchTag("TemplateNotFound", notFound)))
      }),

      updateToolSecretTemplate: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const { name, oauth, value } = payload
        const change = { name, oauth, value: redacted(value), clientSecret: redacted(oauth?.clientSecret) }
        const of = yield* templateOf(params)
        const changed = yield* templates
          .updateTemplate({ ...of, ifVersion: versionOf(headers), ...changedToolSecretTemplate(change) })
          .pipe(Effect.catchTags(problems))
        return templateView(changed)
      }),

      deleteToolSecretTemplate: Effect.fnUntraced(function* ({ params }) {
        const of = yield* templateOf(params)
        yield* templates.deleteTemplate(of).pipe(Effect.catchTag("TemplateNotFound", notFound))
        return { id: of.id, status: "deleted" as const }
      }),

      listToolSecretTemplateWorkspaces: Effect.fnUntraced(function* ({ params, query }) {
        const of = yield* templateOf(params)
        const scope = {
          route: `GET ${PATH}/:template_id/workspaces`,
          owner: of.caller.organizationId,
          filters: { template_id: of.id }
        }
        return yield* cursors
          .page(
            scope,
            query,
            (page) => templates.listTemplateMembers({ ...of, page }),
            ({ fault, overridden, resourceId, version, workspaceId }) => ({
              workspaceId,
              secretId: resourceId,
              version,
              overridden,
              fault
            })
          )
          .pipe(Effect.catchTag("TemplateNotFound", notFound))
      })
    })
  })
)
