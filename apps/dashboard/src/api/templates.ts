/** Reads and changes what an organization gives all of its workspaces. */
import type {
  AgentChange,
  AgentTemplate,
  NewAgent,
  ProviderKeyTemplate,
  TemplateWorkspacePage,
  ToolSecretTemplate
} from "@agent-platform/client"
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** A template, of whatever kind. */
export type Template = AgentTemplate | ProviderKeyTemplate | ToolSecretTemplate

interface PageRequest {
  readonly query: { readonly limit: number; readonly cursor: string | undefined }
  readonly signal: AbortSignal
}

interface Page<One> {
  readonly items: ReadonlyArray<One>
  readonly next_cursor: string | null
}

interface ById {
  readonly params: { readonly template_id: string }
}

/** The calls that templates of every kind have. */
export interface TemplateCalls<One extends Template> {
  readonly kind: "agents" | "provider-keys" | "tool-secrets"
  readonly list: (session: Session, request: PageRequest) => Promise<Page<One>>
  readonly get: (session: Session, request: ById & Pick<PageRequest, "signal">) => Promise<One>
  readonly remove: (session: Session, request: ById) => Promise<unknown>
  readonly workspaces: (session: Session, request: ById & PageRequest) => Promise<TemplateWorkspacePage>
}

/** Those of agents. */
export const agentTemplateCalls: TemplateCalls<AgentTemplate> = {
  kind: "agents",
  list: ({ client }, request) => client.orgAgentTemplates.listAgentTemplates(request),
  get: ({ client }, request) => client.orgAgentTemplates.getAgentTemplate(request),
  remove: ({ client }, request) => client.orgAgentTemplates.deleteAgentTemplate(request),
  workspaces: ({ client }, request) => client.orgAgentTemplates.listAgentTemplateWorkspaces(request)
}

/** Those of provider keys. */
export const providerKeyTemplateCalls: TemplateCalls<ProviderKeyTemplate> = {
  kind: "provider-keys",
  list: ({ client }, request) => client.orgProviderKeys.listProviderKeyTemplates(request),
  get: ({ client }, request) => client.orgProviderKeys.getProviderKeyTemplate(request),
  remove: ({ client }, request) => client.orgProviderKeys.deleteProviderKeyTemplate(request),
  workspaces: ({ client }, request) => client.orgProviderKeys.listProviderKeyTemplateWorkspaces(request)
}

/** Those of tool secrets. */
export const toolSecretTemplateCalls: TemplateCalls<ToolSecretTemplate> = {
  kind: "tool-secrets",
  list: ({ client }, request) => client.orgToolSecrets.listToolSecretTemplates(request),
  get: ({ client }, request) => client.orgToolSecrets.getToolSecretTemplate(request),
  remove: ({ client }, request) => client.orgToolSecrets.deleteToolSecretTemplate(request),
  workspaces: ({ client }, request) => client.orgToolSecrets.listToolSecretTemplateWorkspaces(request)
}

const isUnderWay = ({ spread }: Template): boolean => spread.ended_at === null

/** The key of all that is read of templates. */
export const TEMPLATES_KEY = ["templates"] as const

/** How often it is looked how far a change has come. There is no stream of it. */
const LOOK_MILLIS = 1_000

/** The templates of a kind, newest first, page after page; looked at again while one is brought to the workspaces. */
export const templatesQuery = <One extends Template>(session: Session, { kind, list }: TemplateCalls<One>) =>
  infiniteQueryOptions({
    queryKey: [...TEMPLATES_KEY, kind, "list"],
    queryFn: ({ pageParam, signal }) => list(session, { query: { limit: PAGE_SIZE, cursor: pageParam }, signal }),
    refetchInterval: ({ state: { data } }) =>
      // Each page is a request: a longer list is looked at again by hand.
      data?.pages.length === 1 && data.pages[0]?.items.some(isUnderWay) ? LOOK_MILLIS : false,
    ...paging
  })

/** One template; looked at again while its latest version is brought to the workspaces. */
export const templateQuery = <One extends Template>(
  session: Session,
  { get, kind }: TemplateCalls<One>,
  templateId: string
) =>
  queryOptions({
    queryKey: [...TEMPLATES_KEY, kind, "one", templateId],
    queryFn: ({ signal }): Promise<One> => get(session, { params: { template_id: templateId }, signal }),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isUnderWay(data) ? LOOK_MILLIS : false)
  })

/** How each workspace stands with a template, page after page. `state` is in the key alone: once it changes, they are read anew. */
export const templateWorkspacesQuery = <One extends Template>(
  session: Session,
  { kind, workspaces }: TemplateCalls<One>,
  templateId: string,
  state: string
) =>
  infiniteQueryOptions({
    queryKey: [...TEMPLATES_KEY, kind, "workspaces", templateId, state],
    queryFn: ({ pageParam, signal }) =>
      workspaces(session, {
        params: { template_id: templateId },
        query: { limit: PAGE_SIZE, cursor: pageParam },
        signal
      }),
    ...paging
  })

/** Deletes a template. */
export const deleteTemplate = <One extends Template>(session: Session, { remove }: TemplateCalls<One>, id: string) =>
  remove(session, { params: { template_id: id } })

/** Makes a template of agents. The secret of its endpoint is in the answer. */
export const createAgentTemplate = ({ client }: Session, body: NewAgent) =>
  client.orgAgentTemplates.createAgentTemplate({ body })

/** Changes a template of agents, unless somebody else has changed it since it was read. */
export const updateAgentTemplate = ({ client }: Session, { id, version }: AgentTemplate, body: AgentChange) =>
  client.orgAgentTemplates.updateAgentTemplate({
    params: { template_id: id },
    body,
    headers: { "If-Match": String(version) }
  })

/** Erases the value of a template of provider keys, and has it revoked wherever it is followed. */
export const revokeProviderKeyTemplate = ({ client }: Session, id: string) =>
  client.orgProviderKeys.revokeProviderKeyTemplate({ params: { template_id: id } })
