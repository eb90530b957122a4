/** Reads and changes API keys, those of a workspace and those of the organization. */
import type { ApiKeyChange, NewApiKey } from "@agent-platform/client"
import { infiniteQueryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** Whose keys. */
export type KeyKind = "workspace" | "organization"

/** The keys, newest first. */
export const keysQuery = ({ client }: Session, kind: KeyKind) =>
  infiniteQueryOptions({
    queryKey: ["keys", kind],
    queryFn: ({ pageParam, signal }) => {
      const request = { query: { limit: PAGE_SIZE, cursor: pageParam }, signal }
      return kind === "workspace" ? client.auth.listApiKeys(request) : client.orgKeys.listOrgApiKeys(request)
    },
    ...paging
  })

/** Makes a key. Its value is in the answer, and never again. */
export const createKey = ({ client }: Session, kind: KeyKind, body: NewApiKey) =>
  kind === "workspace" ? client.auth.createApiKey({ body }) : client.orgKeys.createOrgApiKey({ body })

/** Changes a key, or switches it off and on. */
export const updateKey = ({ client }: Session, kind: KeyKind, keyId: string, body: ApiKeyChange) => {
  const request = { params: { key_id: keyId }, body }
  return kind === "workspace" ? client.auth.updateApiKey(request) : client.orgKeys.updateOrgApiKey(request)
}

/** Gives a key a successor; the old value works on for the time of grace. */
export const rotateKey = ({ client }: Session, kind: KeyKind, keyId: string, graceSeconds: number) => {
  const request = { params: { key_id: keyId }, body: { grace_seconds: graceSeconds } }
  return kind === "workspace" ? client.auth.rotateApiKey(request) : client.orgKeys.rotateOrgApiKey(request)
}

/** Ends a key for good, with those that came of it where that is wanted. */
export const revokeKey = ({ client }: Session, kind: KeyKind, keyId: string, descendants: boolean) => {
  const request = { params: { key_id: keyId }, query: { descendants } }
  return kind === "workspace" ? client.auth.revokeApiKey(request) : client.orgKeys.revokeOrgApiKey(request)
}
