/** As whom the page calls, and what that lets a person do. */
import {
  type AgentPlatformClient,
  ApiProblem,
  createClient,
  type Me,
  type ReachableWorkspace
} from "@agent-platform/client"
import { readTrial, redeemStartLink, type Trial } from "./startLink.ts"
import { storedKey, storedTrial, storedWorkspace } from "./stored.ts"

/** A right that a credential has. */
export type Scope = Me["auth"]["scopes"][number]

/** Somebody who is signed in. */
export interface Session {
  readonly me: Me
  /** The calls of this person in the chosen workspace. */
  readonly client: AgentPlatformClient
  /** The workspaces that they may choose among. */
  readonly workspaces: ReadonlyArray<ReachableWorkspace>
  /** The chosen one; undefined where there is none yet. */
  readonly workspace: ReachableWorkspace | undefined
  /** Whether their credential has the right: what they cannot do is not shown. */
  readonly can: (scope: Scope) => boolean
}

const clientFor = (key: string | undefined, csrfToken?: string | null, workspaceId?: string): AgentPlatformClient =>
  createClient({
    baseUrl: location.origin,
    ...(key === undefined ? {} : { apiKey: key }),
    ...(csrfToken ? { csrfToken } : {}),
    ...(workspaceId === undefined ? {} : { workspaceId })
  })

const workspacesOf = async (client: AgentPlatformClient): Promise<ReadonlyArray<ReachableWorkspace>> => {
  const found: Array<ReachableWorkspace> = []
  for await (const workspace of client.items.workspaces.listReachableWorkspaces()) found.push(workspace)
  return found
}

/** Finds out who calls with this key, or with the browser's cookie. Fails as `auth.me` does. */
const openWith = async (key: string | undefined): Promise<Session> => {
  const asked = clientFor(key)
  // The first screen waits for both answers, so they are asked for at the same time.
  const [caller, workspaces] = await Promise.all([asked.auth.me(), workspacesOf(asked)])
  const wanted = storedWorkspace.read()
  const workspace = workspaces.find(({ id }) => id === wanted) ?? workspaces[0]
  const client = clientFor(key, caller.csrf_token, workspace?.id)
  // The rights of members and viewers differ from workspace to workspace, so they are asked for in the chosen one.
  const isPersonHere = caller.auth.method === "oauth_session" && workspace !== undefined
  const me = isPersonHere ? await client.auth.me() : caller
  const scopes: ReadonlySet<string> = new Set(me.auth.scopes)
  return {
    me,
    client,
    workspaces,
    workspace,
    can: (scope) => scopes.has(scope)
  }
}

/** Forgets the key, and with it the trial: all that the link of `npm start` gave for the first steps. */
const forgetKey = (): void => {
  storedKey.clear()
  storedTrial.clear()
}

/** The session that this tab, or the browser's cookie, has; null where nobody is signed in. */
export const findSession = async (): Promise<Session | null> => {
  await redeemStartLink()
  try {
    return await openWith(storedKey.read())
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 401) throw error
    forgetKey()
    return null
  }
}

/** Whether one may look at all workspaces of the organization together: by its keys, and as an owner or an admin. */
export const reachesOrganization = ({ can, me }: Session): boolean =>
  me.auth.method === "org_api_key" || (me.auth.method === "oauth_session" && can("org:admin"))

/** Signs in with a key, which this tab keeps. Fails as `auth.me` does, and then keeps nothing. */
export const signInWithKey = async (key: string): Promise<void> => {
  await openWith(key)
  storedKey.write(key)
}

/** Who signs out waits for the end of the link's keys no longer than this. */
const ENDING_MILLIS = 5_000

/** Ends the keys that the link of `npm start` has made for this page. */
const endLinkKeys = async ({ client, me }: Session, trial: Trial): Promise<void> => {
  const signal = AbortSignal.timeout(ENDING_MILLIS)
  const endOwn = async (of: AgentPlatformClient) => {
    const { key_id } = (await of.auth.me({ signal })).auth
    if (key_id !== null) await of.auth.revokeApiKey({ params: { key_id }, signal })
  }
  const { key_id } = me.auth
  await Promise.allSettled([
    endOwn(clientFor(trial.workspace_key)),
    key_id !== null && client.orgKeys.revokeOrgApiKey({ params: { key_id }, signal })
  ])
}

/** Ends the session: a login and a link's keys at the server, a pasted key by forgetting it. A link's keys also end by themselves. */
export const signOut = async (session: Session): Promise<void> => {
  const { client, me } = session
  const trial = readTrial()
  if (me.auth.method === "oauth_session") await client.loginSessions.logout()
  else if (trial !== undefined) await endLinkKeys(session, trial)
  forgetKey()
  storedWorkspace.clear()
}
