/** Reads and changes the workspace's own keys of model providers. */
import type { NewProviderKey, ProviderKeyChange } from "@agent-platform/client"
import { infiniteQueryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** The provider keys of the workspace. */
export const providerKeysQuery = ({ client }: Session) =>
  infiniteQueryOptions({
    queryKey: ["providerKeys"],
    queryFn: ({ pageParam, signal }) =>
      client.byok.listProviderKeys({ query: { limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** Registers a key of this provider. */
export const registerProviderKey = ({ client }: Session, provider: string, body: NewProviderKey) =>
  client.byok.registerProviderKey({ params: { provider }, body })

/** Changes a key, by its id. */
export const updateProviderKey = ({ client }: Session, keyId: string, body: ProviderKeyChange) =>
  client.byok.updateProviderKey({ params: { provider: keyId }, body })

/** Asks the provider whether it takes the key. */
export const validateProviderKey = ({ client }: Session, keyId: string) =>
  client.byok.validateProviderKey({ params: { provider: keyId } })

/** Erases a key. */
export const revokeProviderKey = ({ client }: Session, keyId: string) =>
  client.byok.revokeProviderKey({ params: { provider: keyId } })
