import {
  type OrganizationCaller,
  type PageRequest,
  type TemplateKind,
  TemplateStore,
  toPage,
  WorkspaceId
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { readTemplate, type TemplateOf } from "./changeTemplates.ts"

/** The organization's templates of a kind, newest first; never their values. */
export const listTemplates = useCase("platform.listTemplates")(function* (query: {
  readonly caller: OrganizationCaller
  readonly kind: TemplateKind
  readonly page: PageRequest
}) {
  const templates = yield* TemplateStore
  return yield* templates.list(query.caller.organizationId, query.kind, query.page)
})

/** How each workspace follows a template, in the order of the workspaces' ids. Fails with TemplateNotFound. */
export const listTemplateMembers = useCase("platform.listTemplateMembers")(function* (
  query: TemplateOf & { readonly page: PageRequest }
) {
  const { caller, id, page } = query
  yield* readTemplate(query)
  const templates = yield* TemplateStore
  const after = page.before === undefined ? undefined : WorkspaceId.make(page.before)
  const found = yield* templates.members(caller.organizationId, id, after, page.limit + 1)
  return toPage(found, page.limit, ({ workspaceId }) => workspaceId)
})
