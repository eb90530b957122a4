/** The operations that templates of every kind have, each under names of its own. */
import type { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Access } from "./access.ts"
import { created, idempotencyHeaders, ifMatchHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { JsonBody } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { DeletedTemplate, TemplateWorkspacePage } from "./templateSchemas.ts"

/** The parameter of the paths of one template. */
export const templatePath = { template_id: id("The template's id") }

/** The access of all of them, and of further operations that one kind alone has. */
export const templateAccess = { reach: "organization", scope: "org:admin" } as const

/** Texts of the document that differ from kind to kind. */
interface TemplateTexts {
  /** Things of this kind, as in "agents". */
  readonly things: string
  /** A workspace's own, as in "agent". */
  readonly thing: string
  /** The part of a template that no answer has, as in "secrets". */
  readonly hidden: { readonly ofMany: string; readonly ofOne: string }
  readonly create: string
  readonly update: string
  readonly remove: string
}

/** Templates of a kind are listed, made, read, changed and deleted, and the workspaces that follow one are listed. */
export const templateEndpoints = <
  const Kind extends string,
  const Path extends `/${string}`,
  New extends Schema.Top,
  Change extends Schema.Top,
  View extends Schema.Top,
  Page extends Schema.Top
>(
  kind: Kind,
  path: Path,
  schemas: { readonly create: New; readonly change: Change; readonly view: View; readonly page: Page },
  { create, hidden, remove, thing, things, update }: TemplateTexts
) => ({
  list: HttpApiEndpoint.get(`list${kind}Templates`, path, {
    query: pageParameters.fields,
    success: schemas.page,
    error: UnprocessableContent
  })
    .annotate(Access, templateAccess)
    .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
    .annotate(OpenApi.Summary, `List templates of ${things}`)
    .annotate(
      OpenApi.Description,
      `The organization's templates of ${things}, newest first, and how far each has come; never their ${hidden.ofMany}.`
    ),
  create: HttpApiEndpoint.post(`create${kind}Template`, path, {
    headers: idempotencyHeaders,
    payload: schemas.create,
    success: created(schemas.view),
    error: [NotFound, Conflict, UnprocessableContent]
  })
    .middleware(JsonBody)
    .annotate(Access, templateAccess)
    .annotate(OpenApi.Summary, `Make a template of ${things}`)
    .annotate(OpenApi.Description, create),
  read: HttpApiEndpoint.get(`get${kind}Template`, `${path}/:template_id`, {
    params: templatePath,
    success: schemas.view,
    error: NotFound
  })
    .annotate(Access, templateAccess)
    .annotate(OpenApi.Summary, `Read a template of ${things}`)
    .annotate(
      OpenApi.Description,
      `One template without its ${hidden.ofOne}, and how far its latest version has come.`
    ),
  update: HttpApiEndpoint.patch(`update${kind}Template`, `${path}/:template_id`, {
    params: templatePath,
    headers: ifMatchHeaders,
    payload: schemas.change,
    success: schemas.view,
    error: [NotFound, Conflict, UnprocessableContent]
  })
    .middleware(JsonBody)
    .annotate(Access, templateAccess)
    .annotate(OpenApi.Summary, `Change a template of ${things}`)
    .annotate(OpenApi.Description, update),
  remove: HttpApiEndpoint.delete(`delete${kind}Template`, `${path}/:template_id`, {
    params: templatePath,
    success: DeletedTemplate,
    error: NotFound
  })
    .annotate(Access, templateAccess)
    .annotate(OpenApi.Summary, `Delete a template of ${things}`)
    .annotate(OpenApi.Description, remove),
  workspaces: HttpApiEndpoint.get(`list${kind}TemplateWorkspaces`, `${path}/:template_id/workspaces`, {
    params: templatePath,
    query: pageParameters.fields,
    success: TemplateWorkspacePage,
    error: [NotFound, UnprocessableContent]
  })
    .annotate(Access, templateAccess)
    .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
    .annotate(OpenApi.Summary, `List the workspaces of a template of ${things}`)
    .annotate(
      OpenApi.Description,
      `What each workspace has of the template: its ${thing}, the version, what it has set for itself, or why it has none. In the order of their ids.`
    )
})
