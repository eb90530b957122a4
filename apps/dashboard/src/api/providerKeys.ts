/**
 * Reads and changes keys of model providers: a workspace's own, and those that the organization gives all of its workspaces. Where one
 * key is meant, the path parameter `provider` takes its id.
 */
import type { NewProviderKeyTemplate, ProviderKey, ProviderKeyChange } from "@agent-platform/client"
import { infiniteQueryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import type { KeyKind } from "./keys.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** The provider keys of the workspace. */
export const providerKeysQuery = ({ client }: Session) =>
  infiniteQueryOptions({
    queryKey: ["providerKeys"],
    queryFn: ({ pageParam, signal }) =>
      client.byok.listProviderKeys({ query: { limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** Registers a key. */
export const registerProviderKey = ({ client }: Session, kind: KeyKind, body: NewProviderKeyTemplate) => {
  const { provider, ...own } = body
  return kind === "workspace"
    ? client.byok.registerProviderKey({ params: { provider }, body: own })
    : client.orgProviderKeys.createProviderKeyTemplate({ body })
}

/** Changes a key, unless somebody else has changed it since it was read. */
export const updateProviderKey = (
  { client }: Session,
  kind: KeyKind,
  { id, version }: Pick<ProviderKey, "id" | "version">,
  body: ProviderKeyChange
) => {
  const headers = { "If-Match": String(version) }
  return kind === "workspace"
    ? client.byok.updateProviderKey({ params: { provider: id }, body, headers })
    : client.orgProviderKeys.updateProviderKeyTemplate({ params: { template_id: id }, body, headers })
}

/** Asks the provider whether it takes the key. */
export const validateProviderKey = ({ client }: Session, keyId: string) =>
  client.byok.validateProviderKey({ params: { provider: keyId } })

/** Erases a key of the workspace. */
export const revokeProviderKey = ({ client }: Session, keyId: string) =>
  client.byok.revokeProviderKey({ params: { provider: keyId } })
