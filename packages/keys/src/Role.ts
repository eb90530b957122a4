/** The roles of a person, in an organization and in its workspaces. */
import { Schema } from "effect"
import { NAMED_SCOPES, type Scope, WORKSPACE_SCOPES } from "./Scope.ts"

/** The roles that manage an organization. Owners also manage admins; an organization's last owner stays. */
export const OrganizationRole = Schema.Literals(["owner", "admin"])
export type OrganizationRole = typeof OrganizationRole.Type

const RANKS: Readonly<Record<OrganizationRole, number>> = { owner: 2, admin: 1 }

/** The lesser of two roles in an organization; null is none. */
export const lesserOf = (one: OrganizationRole | null, other: OrganizationRole | null): OrganizationRole | null =>
  exceeds(one, other) ? other : one

/** Whether a role in an organization goes beyond another; null is none. */
export const exceeds = (role: OrganizationRole | null, other: OrganizationRole | null): boolean =>
  (role === null ? 0 : RANKS[role]) > (other === null ? 0 : RANKS[other])

/** The role of a person in one workspace. */
export const WorkspaceRole = Schema.Literals(["member", "viewer"])
export type WorkspaceRole = typeof WorkspaceRole.Type

/** A role in an organization or in a workspace: the one that counts where a person acts. */
export type Role = OrganizationRole | WorkspaceRole

const MEMBER_LACKS: ReadonlyArray<Scope> = ["keys:write", "byok:write"]

/**
 * The scopes of a person's session. Owners and admins may do everything except operate webhooks, for which an organization key
 * is needed; only owners erase. Members do everything inside a workspace except handle its credentials; viewers read.
 */
export const scopesOfRole = (role: Role): ReadonlyArray<Scope> => {
  switch (role) {
    case "owner":
      return [...WORKSPACE_SCOPES, "org:admin", ...NAMED_SCOPES]
    case "admin":
      return [...WORKSPACE_SCOPES, "org:admin"]
    case "member":
      return WORKSPACE_SCOPES.filter((scope) => !MEMBER_LACKS.includes(scope))
    case "viewer":
      return WORKSPACE_SCOPES.filter((scope) => scope.endsWith(":read"))
  }
}
