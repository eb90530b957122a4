/** The rights that somebody can give to a key. */
import type { KeyKind } from "../../api/keys.ts"
import type { Scope, Session } from "../../session/Session.ts"

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
