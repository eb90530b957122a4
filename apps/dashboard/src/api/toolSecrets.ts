/** Reads and changes the secrets that tools are called with: a workspace's own, and those that the organization gives all of its workspaces. */
import type { NewToolSecret, ToolSecret, ToolSecretChange } from "@agent-platform/client"
import { infiniteQueryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import type { KeyKind } from "./keys.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** The tool secrets of the workspace, newest first; never their values. */
export const toolSecretsQuery = ({ client }: Session) =>
  infiniteQueryOptions({
    queryKey: ["toolSecrets"],
    queryFn: ({ pageParam, signal }) =>
      client.toolSecrets.listToolSecrets({ query: { limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** Adds a secret. */
export const createToolSecret = ({ client }: Session, kind: KeyKind, body: NewToolSecret) =>
  kind === "workspace"
    ? client.toolSecrets.createToolSecret({ body })
    : client.orgToolSecrets.createToolSecretTemplate({ body })

/** Changes the name or the value of a secret, unless somebody else has changed it since it was read. */
export const updateToolSecret = (
  { client }: Session,
  kind: KeyKind,
  { id, version }: Pick<ToolSecret, "id" | "version">,
  body: ToolSecretChange
) => {
  const headers = { "If-Match": String(version) }
  return kind === "workspace"
    ? client.toolSecrets.updateToolSecret({ params: { secret_id: id }, body, headers })
    : client.orgToolSecrets.updateToolSecretTemplate({ params: { template_id: id }, body, headers })
}

/** Erases a secret of the workspace. */
export const deleteToolSecret = ({ client }: Session, secretId: string) =>
  client.toolSecrets.deleteToolSecret({ params: { secret_id: secretId } })
