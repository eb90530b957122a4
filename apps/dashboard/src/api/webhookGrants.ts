/** Webhook grants: the temporary organization keys with which a person's page operates webhooks. They are in this page's memory alone. */
import { type AgentPlatformClient, createClient } from "@agent-platform/client"
import type { Session } from "../session/Session.ts"

interface Grant {
  readonly keyId: string
  readonly client: AgentPlatformClient
}

const grants = new WeakMap<Session, Promise<Grant>>()

const grantFor = async ({ client }: Session): Promise<Grant> => {
  const { id, key } = await client.orgKeys.createWebhookGrant({ body: {} })
  if (key === null) throw new Error("The answer with the grant for webhooks was lost: try again.")
  return { keyId: id, client: createClient({ baseUrl: location.origin, apiKey: key }) }
}

/** Calls with the session's grant, which is made at the first call. */
export const grantedClient = async (session: Session): Promise<AgentPlatformClient> => {
  const known = grants.get(session)
  if (known !== undefined) return (await known).client
  const granted = grantFor(session)
  grants.set(session, granted)
  granted.catch(() => grants.delete(session))
  return (await granted).client
}

/** The id of the session's grant, where it has one. One that is being made is waited for: lists of keys may have it already. */
export const grantKeyOf = async (session: Session): Promise<string | undefined> =>
  (await grants.get(session)?.catch(() => undefined))?.keyId

/** Makes another grant at the next call, where this key was the session's: it is not accepted any more. */
export const forgetGrant = async (session: Session, keyId: string): Promise<void> => {
  if ((await grantKeyOf(session)) === keyId) grants.delete(session)
}
