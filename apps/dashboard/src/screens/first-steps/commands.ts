/** The first steps as commands of curl, with the real address and, where the tab has them, the real keys. */

import { readTrial } from "../../session/startLink.ts"
import { storedKey } from "../../session/stored.ts"

const JSON_BODY = '-H "Content-Type: application/json"'

/** The key of the link, which ends by itself. One that was pasted stands in no command. */
export const shownKey = (): string | undefined => (readTrial() === undefined ? undefined : storedKey.read())

/** Triggers a run. `'$AGENT'` ends the quotation around it, so that a shell puts the variable in. */
export const runCommand = (origin: string, key: string | undefined, agentId: string | undefined): string =>
  `curl ${origin}/api/v1/runs/ -H "X-API-Key: ${key ?? "$KEY"}" ${JSON_BODY} \\
  -d '{"agent_id": "${agentId ?? "'$AGENT'"}", "message": "Hello"}'`

/** Registers an endpoint for webhooks. */
export const webhookCommand = (origin: string, key: string | undefined, url: string | undefined): string =>
  `curl ${origin}/api/v1/org/webhooks -H "X-API-Key: ${key ?? "$ORG_KEY"}" ${JSON_BODY} \\
  -d '{"url": "${url ?? "https://example.com/hooks"}"}'`

/** Sends a delivery again. */
export const replayCommand = (
  origin: string,
  key: string | undefined,
  delivery: { readonly endpointId: string; readonly deliveryId: string } | undefined
): string =>
  `curl -X POST -H "X-API-Key: ${key ?? "$ORG_KEY"}" ${JSON_BODY} -d '{}' \\
  ${origin}/api/v1/org/webhooks/${delivery?.endpointId ?? "$ENDPOINT"}/deliveries/${delivery?.deliveryId ?? "$DELIVERY"}/replay`

/** Sets an agent going by its inbound webhook. */
export const hookCommand = (url: string): string => `curl ${JSON_BODY} -d '{"order": 17}' \\
  ${url}`

/** Says as whom a key calls. */
export const meCommand = (origin: string, key: string): string => `curl ${origin}/api/v1/auth/me -H "X-API-Key: ${key}"`
