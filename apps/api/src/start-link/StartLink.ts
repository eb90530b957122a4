/** The link with which `npm start` signs a person in: docs/decisions/0075-a-link-that-signs-in.md. */
import { createHash, timingSafeEqual } from "node:crypto"
import { OrganizationId, parseId, WorkspaceId } from "@agent-platform/kernel"
import { Context } from "effect"

/** The code of a link that can be exchanged, by its hash, and what it is exchanged for keys of. */
export interface StartLinkGiven {
  /** SHA-256 of the code, in hexadecimal. */
  readonly codeHash: string
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** The link of this process; null where there is none, as everywhere but under `npm start`. */
export const StartLink = Context.Reference<StartLinkGiven | null>("@agent-platform/api/StartLink", {
  defaultValue: () => null
})

const FORM = /^([0-9a-f]{64}) (\S+) (\S+) (\d{1,15})$/

/** Reads what `npm start` hands over: hash, organization, workspace and end, with spaces between. */
export const parseStartLink = (text: string): StartLinkGiven | undefined => {
  const [, codeHash, organization, workspace, expiresAt] = FORM.exec(text) ?? []
  if (codeHash === undefined || organization === undefined || workspace === undefined) return undefined
  const organizationId = parseId(OrganizationId, organization)
  const workspaceId = parseId(WorkspaceId, workspace)
  if (organizationId === undefined || workspaceId === undefined) return undefined
  return { codeHash, organizationId, workspaceId, expiresAt: Number(expiresAt) }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const isSame = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))

/** Whether the code is that of the link. */
export const isCodeOf = ({ codeHash }: StartLinkGiven, code: string): boolean => isSame(sha256(code), codeHash)

/** The token of the link's listener: known to who has exchanged the code, and the same after a restart of the process. */
export const listenerTokenOf = ({ codeHash }: StartLinkGiven): string => sha256(`listener ${codeHash}`)

/** Whether the token is that of the link's listener. */
export const isListenerOf = (link: StartLinkGiven, token: string): boolean => isSame(token, listenerTokenOf(link))

const LOOPBACK = /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/i

/** Whether an address, or the host of a URL, is this machine alone. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)
