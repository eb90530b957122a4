/** Reads and changes the secrets that tools of agents are called with. */
import type { NewToolSecret, ToolSecretChange } from "@agent-platform/client"
import { infiniteQueryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
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
export const createToolSecret = ({ client }: Session, body: NewToolSecret) =>
  client.toolSecrets.createToolSecret({ body })

/** Changes the name or the value of a secret. */
export const updateToolSecret = ({ client }: Session, secretId: string, body: ToolSecretChange) =>
  client.toolSecrets.updateToolSecret({ params: { secret_id: secretId }, body })

/** Erases a secret. */
export const deleteToolSecret = ({ client }: Session, secretId: string) =>
  client.toolSecrets.deleteToolSecret({ params: { secret_id: secretId } })
