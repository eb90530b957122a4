/** Reads and changes API keys, those of a workspace and those of the organization. */
import type { ApiKey, ApiKeyChange, NewApiKey } from "@agent-platform/client"
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { readTrial } from "../session/startLink.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"
import { forgetGrant, grantKeyOf } from "./webhookGrants.ts"

/** Whose keys. */
export type KeyKind = "workspace" | "organization"

/** For so long after a key was made, somebody may be about to try it elsewhere. */
const TRIED_MILLIS = 3_600_000

/** How often the list is read meanwhile. The server itself notes a use some seconds late. */
const LOOK_MILLIS = 10_000

const isToBeTried = ({ created_at, last_used_at, status }: ApiKey): boolean =>
  last_used_at === null && status === "active" && Date.parse(created_at) > Date.now() - TRIED_MILLIS

/** The keys, newest first. They are read anew whenever the tab is looked at again, and by the clock while a new key waits for its first use. */
export const keysQuery = ({ client }: Session, kind: KeyKind) =>
  infiniteQueryOptions({
    queryKey: ["keys", kind],
    queryFn: ({ pageParam, signal }) => {
      const request = { query: { limit: PAGE_SIZE, cursor: pageParam }, signal }
      return kind === "workspace" ? client.auth.listApiKeys(request) : client.orgKeys.listOrgApiKeys(request)
    },
    ...paging,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      // New ones stand on the first page; further pages are not read again for them.
      data?.pages.length === 1 && data.pages[0]?.items.some(isToBeTried) ? LOOK_MILLIS : false
  })

/** Whether it is one of the two keys that the start link has made: the page calls with one, and its commands show the other. */
const isOfLink = ({ created_by: { id, type } }: ApiKey): boolean =>
  type === "system" && id === "npm-start" && readTrial() !== undefined

/** All keys that can still be used, but those that this page needs: its own, its webhook grant, and those of its start link. */
export const otherKeysQuery = (session: Session, kind: KeyKind) =>
  queryOptions({
    queryKey: ["keys", kind, "others"],
    queryFn: async ({ signal }) => {
      const { client, me } = session
      const request = { query: { limit: PAGE_SIZE }, signal }
      const all =
        kind === "workspace" ? client.items.auth.listApiKeys(request) : client.items.orgKeys.listOrgApiKeys(request)
      const found: Array<ApiKey> = []
      for await (const key of all) if (key.status !== "revoked" && key.status !== "expired") found.push(key)
      const grantId = await grantKeyOf(session)
      return found.filter((key) => key.id !== me.auth.key_id && key.id !== grantId && !isOfLink(key))
    },
    // Counted when somebody is about to decide, never from before.
    gcTime: 0,
    staleTime: 0
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
export const revokeKey = async (session: Session, kind: KeyKind, keyId: string, descendants: boolean) => {
  const { auth, orgKeys } = session.client
  const request = { params: { key_id: keyId }, query: { descendants } }
  await (kind === "workspace" ? auth.revokeApiKey(request) : orgKeys.revokeOrgApiKey(request))
  await forgetGrant(session, keyId)
}
