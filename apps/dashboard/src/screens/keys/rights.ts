/** The rights that somebody can give to a key. */
import type { KeyKind } from "../../api/keys.ts"
import type { Scope, Session } from "../../session/Session.ts"

/** Each right in plain words. */
export const RIGHT_WORDS: Readonly<Record<Scope, string>> = {
  "runs:read": "See runs and sessions",
  "runs:write": "Trigger, answer and cancel runs",
  "agents:read": "See agents",
  "agents:write": "Make and change agents",
  "schedules:read": "See schedules",
  "schedules:write": "Make and change schedules",
  "keys:read": "See API keys",
  "keys:write": "Make, change and revoke API keys",
  "byok:read": "See keys of model providers",
  "byok:write": "Add and change keys of model providers",
  "tool_secrets:read": "See tool secrets, not their values",
  "tool_secrets:write": "Add and change tool secrets",
  "analytics:read": "See usage and cost",
  "feeds:read": "See activity and notices",
  "feeds:write": "Mark notices as read",
  "webhooks:read": "See webhooks and their deliveries",
  "webhooks:write": "Change webhooks, send deliveries again",
  "org:admin": "Manage members and workspaces",
  "data:erase": "Erase data for good"
}

/** The rights that only keys of an organization can have. */
const ORGANIZATION: ReadonlyArray<Scope> = ["webhooks:read", "webhooks:write", "org:admin"]

/** Those that the caller can give to a key of this kind. Owners and admins give rights on webhooks that they do not have themselves. */
export const grantable = ({ can, me }: Session, kind: KeyKind): ReadonlyArray<Scope> => {
  const own = me.auth.scopes
  if (kind === "workspace") return own.filter((scope) => !ORGANIZATION.includes(scope))
  const givesMore = me.auth.method === "oauth_session" && can("org:admin")
  return givesMore ? [...own, ...ORGANIZATION.filter((scope) => !own.includes(scope))] : own
}

/** Erasing cannot be undone, so that right has to be chosen by name. */
export const givenByDefault = (scopes: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  scopes.filter((scope) => scope !== "data:erase")

/** Choices of rights that are made at a click. */
export const rightSets = (known: ReadonlyArray<Scope>) => {
  const usual = givenByDefault(known)
  return [
    { label: usual.length < known.length ? "All but erasing" : "All", values: usual },
    { label: "Read only", values: usual.filter((scope) => scope.endsWith(":read")) },
    { label: "None", values: [] }
  ]
}
