/** The link with which `npm start` signs a person in: docs/decisions/0075-a-link-that-signs-in.md. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { OrganizationId, parseId, WorkspaceId } from "@agent-platform/kernel"
import { Context, Redacted } from "effect"

/** A link: the hash of its code, and the organization and workspace for which the code is exchanged for keys. */
export interface StartLinkGiven {
  /** SHA-256 of the code, in hexadecimal. */
  readonly codeHash: string
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  /** In milliseconds since 1970. */
  readonly expiresAt: number
  /** The port of 127.0.0.1 at which webhooks are received for the first steps. */
  readonly listenerPort: number
  /** The path of the file with the keys that do not expire; the page shows the path. */
  readonly credentialsFile: string
  /** The path of the listener's URL. Only a page that has exchanged the code is told it. */
  readonly listenerToken: string
}

/** The link of this process; null where there is none, as everywhere but under `npm start`. */
export const StartLink = Context.Reference<StartLinkGiven | null>("@agent-platform/api/StartLink", {
  defaultValue: () => null
})

const FORM = /^([0-9a-f]{64}) (\S+) (\S+) (\d{1,15}) (\d{1,5}) (\/.{1,4096})$/

/** The link as `npm start` hands it over in the setting START_LINK. */
export type StartLinkSetting = Omit<StartLinkGiven, "listenerToken">

/** Parses the setting: hash, organization, workspace, expiry, the listener's port and the path of the credentials, with spaces between. */
export const parseStartLink = (text: string): StartLinkSetting | undefined => {
  const [, codeHash, organization, workspace, expiresAt, port, credentialsFile] = FORM.exec(text) ?? []
  if (codeHash === undefined || organization === undefined || workspace === undefined) return undefined
  if (credentialsFile === undefined) return undefined
  const organizationId = parseId(OrganizationId, organization)
  const workspaceId = parseId(WorkspaceId, workspace)
  if (organizationId === undefined || workspaceId === undefined) return undefined
  return {
    codeHash,
    organizationId,
    workspaceId,
    expiresAt: Number(expiresAt),
    listenerPort: Number(port),
    credentialsFile
  }
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Compares hashes, since `timingSafeEqual` takes only texts of the same length. */
const isSame = (left: string, right: string): boolean => timingSafeEqual(sha256(left), sha256(right))

/** Whether the code is that of the link. */
export const isCodeOf = ({ codeHash }: StartLinkGiven, code: string): boolean =>
  isSame(sha256(code).toString("hex"), codeHash)

/** The link with its listener's token, which stays the same over restarts: an endpoint that was registered goes on being received. */
export const withListener = (link: StartLinkSetting, secretsKey: Redacted.Redacted): StartLinkGiven => ({
  ...link,
  listenerToken: createHmac("sha256", Redacted.value(secretsKey))
    .update("agent-platform/start-link/listener/v1")
    .digest("hex")
})

/** Whether the token is that of the link's listener. */
export const isListenerOf = ({ listenerToken }: StartLinkGiven, token: string): boolean => isSame(token, listenerToken)

const LOOPBACK = /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/i

/** Whether an address, or the host of a URL, is this machine alone. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)
