/** The rules for changing a person's roles in an organization, as pure functions. Spec: Roles. */
import { Schema } from "effect"
import { type KeyGrantor, type RoleNotGrantable, roleRefusalOf, ScopeNotGrantable } from "./KeyGrant.ts"
import type { Member, WorkspaceGrant } from "./Member.ts"
import { type OrganizationRole, scopesOfRole } from "./Role.ts"

/** The roles to which somebody is invited. */
export interface Part {
  readonly organizationRole: OrganizationRole | null
  readonly workspaces: ReadonlyArray<WorkspaceGrant>
}

/** Most workspaces in which one member has a role of its own. */
export const GRANTS_MAX = 1_000

/** The invitation makes no sense for any caller. `field` is the member of the command that is at fault. */
export class InvitationInvalid extends Schema.TaggedError<InvitationInvalid>()("InvitationInvalid", {
  field: Schema.Literals(["email", "organizationRole", "workspaces"]),
  detail: Schema.String
}) {}

/** The organization would be left without an owner who has joined. */
export class LastOwner extends Schema.TaggedError<LastOwner>()("LastOwner", {}) {}

/** The fault that a part has whatever person gets it; undefined when there is none. */
export const partFault = ({ organizationRole, workspaces }: Part): InvitationInvalid | undefined => {
  const invalid = (field: "organizationRole" | "workspaces", detail: string) => new InvitationInvalid({ field, detail })
  if (organizationRole === null && workspaces.length === 0) {
    return invalid("organizationRole", "must be a role, unless workspaces are named")
  }
  if (workspaces.length > GRANTS_MAX) return invalid("workspaces", `must name at most ${GRANTS_MAX} workspaces`)
  const distinct = new Set(workspaces.map((grant) => grant.workspaceId))
  return distinct.size < workspaces.length ? invalid("workspaces", "must name each workspace once") : undefined
}

/**
 * The refusal when `by` may not give the part to a person with the role `from`; undefined when it may. A grantor without a role
 * in the organization neither gives nor takes one, and nobody gives a role in a workspace that has a scope which they lack.
 */
export const partRefusalOf = (
  by: KeyGrantor,
  from: OrganizationRole | null,
  { organizationRole, workspaces }: Part
): RoleNotGrantable | ScopeNotGrantable | undefined => {
  const refused = roleRefusalOf(by, from, organizationRole)
  if (refused !== undefined) return refused
  const given = new Set(workspaces.flatMap(({ role }) => scopesOfRole(role)))
  const scopes = [...given].filter((scope) => !by.scopes.includes(scope))
  return scopes.length > 0 ? new ScopeNotGrantable({ scopes }) : undefined
}

/** Whether the organization keeps an owner when the role of `member` becomes `to`. `owners` counts the owners who have joined. */
export const keepsAnOwner = (
  member: Pick<Member, "organizationRole" | "user">,
  to: OrganizationRole | null,
  owners: number
): boolean => member.organizationRole !== "owner" || member.user === null || to === "owner" || owners > 1

/** Whether two parts are the same; the order of their workspaces does not matter. */
export const isSamePart = (one: Part, other: Part): boolean => {
  const named = ({ organizationRole, workspaces }: Part) =>
    [organizationRole, ...workspaces.map((grant) => `${grant.workspaceId} ${grant.role}`).sort()].join()
  return named(one) === named(other)
}
