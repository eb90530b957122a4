import { createHash, randomBytes } from "node:crypto"
import type { Identity } from "./credentials.ts"

/** How long the link can be opened. */
export const LINK_MINUTES = 10

/** A link that signs in, once, and what the API has to know of it: the setting START_LINK. */
export interface StartLink {
  readonly url: string
  readonly setting: string
}

/** Makes a link. Its code is in the fragment, which browsers send to no server, and the API has the code's hash alone. */
export const makeStartLink = (
  baseUrl: string,
  { organization_id, workspace_id }: Identity,
  now: number = Date.now()
): StartLink => {
  const code = randomBytes(32).toString("base64url")
  const hash = createHash("sha256").update(code).digest("hex")
  return {
    url: `${baseUrl}/#start=${code}`,
    setting: `${hash} ${organization_id} ${workspace_id} ${now + LINK_MINUTES * 60_000}`
  }
}
