/** The handlers and views that templates of all kinds have in common over HTTP. */
import { Conflict, CurrentCaller, type templates as contract } from "@agent-platform/contract"
import { type Template, type TemplateChanged, TemplateId, type TemplateKind } from "@agent-platform/kernel"
import { Templates } from "@agent-platform/platform"
import { Effect } from "effect"
import { type ListCall, makeCursors } from "../cursors.ts"
import { notFound } from "../edge/problems.ts"
import { type Creating, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"

interface Params {
  readonly template_id: string
}

/** Problems of changes. */
export const templateProblems = {
  TemplateNotFound: notFound,
  TemplateChanged: ({ version }: TemplateChanged) =>
    new Conflict({ code: "version_conflict", detail: `The template has changed: it is at version ${version}` })
}

/** The members of every template beside its settings. */
export const templateView = ({ createdAt, id, spread, updatedAt, version }: Template) => ({
  id,
  version,
  createdAt,
  updatedAt,
  spread: { workspacesDone: spread.done, workspacesTotal: spread.total, endedAt: spread.endedAt }
})

/** The handlers of the templates of one kind, below `path`, that are the same for every kind. */
export const makeTemplateHandlers = Effect.fnUntraced(function* <View>(
  kind: TemplateKind,
  path: string,
  view: (template: Template) => View
) {
  const templates = yield* Templates
  const cursors = yield* makeCursors
  const idempotencyOf = yield* makeIdempotencyOf

  /** The members of a command about the template that a path names. */
  const named = Effect.fnUntraced(function* ({ template_id }: Params) {
    const caller = yield* CurrentCaller
    return { caller, kind, id: yield* idOf(TemplateId, template_id) }
  })

  return {
    templates,
    named,

    /** The members of a creation that are the same for every kind; the handler of the kind adds how the content is made. */
    creating: Effect.fnUntraced(function* (given: Creating) {
      const caller = yield* CurrentCaller
      return { caller, kind, idempotency: yield* idempotencyOf(`POST ${path}`, caller.organizationId, given) }
    }),

    list: Effect.fnUntraced(function* ({ query }: ListCall) {
      const caller = yield* CurrentCaller
      const scope = { route: `GET ${path}`, owner: caller.organizationId, filters: {} }
      return yield* cursors.page(scope, query, (page) => templates.listTemplates({ caller, kind, page }), view)
    }),

    get: Effect.fnUntraced(function* ({ params }: { readonly params: Params }) {
      const of = yield* named(params)
      return view(yield* templates.readTemplate(of).pipe(Effect.catchTag("TemplateNotFound", notFound)))
    }),

    delete: Effect.fnUntraced(function* ({ params }: { readonly params: Params }) {
      const of = yield* named(params)
      yield* templates.deleteTemplate(of).pipe(Effect.catchTag("TemplateNotFound", notFound))
      return { id: of.id, status: "deleted" as const }
    }),

    listWorkspaces: Effect.fnUntraced(function* ({
      params,
      query
    }: {
      readonly params: Params
      readonly query: ListCall["query"]
    }) {
      const of = yield* named(params)
      const scope = {
        route: `GET ${path}/:template_id/workspaces`,
        owner: of.caller.organizationId,
        filters: { template_id: of.id }
      }
      const page: typeof contract.TemplateWorkspacePage.Type = yield* cursors
        .page(
          scope,
          query,
          (page) => templates.listTemplateMembers({ ...of, page }),
          ({ fault, overridden, resourceId, version, workspaceId }) => ({
            workspaceId,
            resourceId,
            version,
            overridden,
            fault
          })
        )
        .pipe(Effect.catchTag("TemplateNotFound", notFound))
      return page
    })
  }
})
