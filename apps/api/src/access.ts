/** The access check of each endpoint. */
import { type BadRequest, type Caller, type EndpointAccess, Forbidden } from "@agent-platform/contract"
import { Effect } from "effect"
import { workspaceRequired } from "./edge/problems.ts"

const orgKeyRequired = () =>
  new Forbidden({ code: "org_key_required", detail: "This operation takes an organization key only" })

/** The refusal of a caller who lacks a scope. */
export const lacks = (caller: Caller, scope: string) =>
  new Forbidden({
    code: "insufficient_scope",
    detail:
      caller.credential.type === "session"
        ? `Your role does not include ${scope}`
        : `The API key lacks the scope ${scope}`
  })

const sessionsOnly = () =>
  new Forbidden({
    code: "insufficient_scope",
    detail: "This operation takes the session of a person, not a key"
  })

/** The refusal of a browser key outside of its run or session. */
export const browserKeysReadOne = () =>
  new Forbidden({
    code: "insufficient_scope",
    detail: "A browser key reads the run or the session that it was made for, and nothing else"
  })

/** The refusal of a credential whose kind cannot reach the endpoint, whatever its scopes are; undefined when it can. */
const reachProblem = ({ credential }: Caller, { browser, reach }: EndpointAccess): Forbidden | undefined => {
  if (credential.type === "api_key" && credential.reads !== null && browser === undefined) return browserKeysReadOne()
  const isOrganizationKey = credential.type === "api_key" && credential.kind === "organization"
  switch (reach) {
    case "organization_key":
      return isOrganizationKey ? undefined : orgKeyRequired()
    case "organization":
      return isOrganizationKey || credential.type === "session" ? undefined : orgKeyRequired()
    case "session":
      return credential.type === "session" ? undefined : sessionsOnly()
    case "workspace":
    case "caller":
    case "public":
      return undefined
  }
}

/** A person with a role in a workspace only sees that workspace alone, whatever scopes the role has. */
const seesOneWorkspace = ({ credential }: Caller): boolean =>
  credential.type === "session" && credential.user.role !== "owner" && credential.user.role !== "admin"

const ownersOnly = () =>
  new Forbidden({
    code: "insufficient_scope",
    detail: "Only the organization's owners and admins see all of its workspaces together"
  })

/** Fails unless the caller may call an endpoint with this access. */
export const demand = (caller: Caller, access: EndpointAccess): Effect.Effect<void, BadRequest | Forbidden> => {
  const outOfReach = reachProblem(caller, access)
  if (outOfReach !== undefined) return Effect.fail(outOfReach)
  const lacksWorkspace = access.reach === "workspace" && caller.workspaceId === undefined
  // A person's scopes follow from their role in the workspace, so they are not known without one.
  if (lacksWorkspace && caller.credential.type === "session") return Effect.fail(workspaceRequired())
  if (access.scope !== null && !caller.scopes.includes(access.scope)) return Effect.fail(lacks(caller, access.scope))
  if (access.reach === "organization" && seesOneWorkspace(caller)) return Effect.fail(ownersOnly())
  return lacksWorkspace ? Effect.fail(workspaceRequired()) : Effect.void
}
