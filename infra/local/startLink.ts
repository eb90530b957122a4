/** The link that `npm start` prints, by which a browser signs in once. */
import { createHash, randomBytes } from "node:crypto"
import type { Identity } from "./credentials.ts"
import type { Settings } from "./settings.ts"

/** How long the link can be opened. */
export const LINK_MINUTES = 10

/** How far the listener's port is from the API's. */
const LISTENER_AFTER = 1000

/** The port at which the first webhooks are received: the same at every start, so that a registered endpoint stays right. */
export const listenerPortOf = ({ port }: Pick<Settings, "port">): number =>
  port + LISTENER_AFTER > 65_535 ? port - LISTENER_AFTER : port + LISTENER_AFTER

/** A link that signs in, once, and what the API has to know of it: the setting START_LINK, which `parseStartLink` of the API reads. */
export interface StartLink {
  readonly url: string
  readonly setting: string
}

/** Makes a link. Its code is in the fragment, which browsers send to no server, and the API has the code's hash alone. */
export const makeStartLink = (
  baseUrl: string,
  { organization_id, workspace_id }: Identity,
  listenerPort: number,
  credentialsFile: string,
  now: number = Date.now()
): StartLink => {
  const code = randomBytes(32).toString("base64url")
  const hash = createHash("sha256").update(code).digest("hex")
  return {
    url: `${baseUrl}/#start=${code}`,
    setting: `${hash} ${organization_id} ${workspace_id} ${now + LINK_MINUTES * 60_000} ${listenerPort} ${credentialsFile}`
  }
}
