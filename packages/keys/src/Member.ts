/** People: their identities at their provider, and their parts in an organization. */
import { type Actor, type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, Schema } from "effect"
import { type ApiKeyState, isAccepted, statusOf } from "./ApiKey.ts"
import type { OrganizationRole, Role, WorkspaceRole } from "./Role.ts"

export const UserId = Uuid.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

export const MemberId = Uuid.pipe(Schema.brand("MemberId"))
export type MemberId = typeof MemberId.Type

/** A person as an identity provider vouches for. (issuer, subject) is who it is; the rest may change. */
export interface User {
  readonly id: UserId
  readonly issuer: string
  readonly subject: string
  readonly email: string
  readonly name: string
  readonly createdAt: DateTime.Utc
}

/** The part of a person in one workspace. */
export interface WorkspaceGrant {
  readonly workspaceId: WorkspaceId
  readonly role: WorkspaceRole
}

/**
 * A person in an organization: invited by e-mail address, until a login with that address, verified, takes the
 * invitation up. From then on the user counts and not the address. Spec: OAuth.
 */
export interface Member {
  readonly id: MemberId
  readonly organizationId: OrganizationId
  /** The address invited: in lower case, one member an organization. */
  readonly email: string
  /** Null for somebody who has a part in workspaces only. */
  readonly organizationRole: OrganizationRole | null
  readonly workspaces: ReadonlyArray<WorkspaceGrant>
  /** Who took the invitation up; null while nobody has. */
  readonly user: { readonly id: UserId; readonly name: string } | null
  readonly invitedBy: Actor
  /** The key that invited, as it is by now; null where it was a person or the operator. */
  readonly invitedByKey: ApiKeyState | null
  readonly invitedAt: DateTime.Utc
  readonly joinedAt: DateTime.Utc | null
}

/** How a member reads in a list. A `lapsed` invitation is good for nothing until somebody renews it. */
export const MemberStatus = Schema.Literals(["invited", "lapsed", "joined"])
export type MemberStatus = typeof MemberStatus.Type

/** The status at `now`: an invitation by a key is as good as the key, and a member who has joined stays. */
export const memberStatusOf = (
  { invitedByKey, user }: Pick<Member, "invitedByKey" | "user">,
  now: DateTime.Utc
): MemberStatus => {
  if (user !== null) return "joined"
  if (invitedByKey === null) return "invited"
  return isAccepted(statusOf(invitedByKey, now)) ? "invited" : "lapsed"
}

/** No such member in the caller's organization. */
export class MemberNotFound extends Schema.TaggedError<MemberNotFound>()("MemberNotFound", {}) {}

/** The part of `member` in a workspace: an organization's role reaches every workspace. Undefined for none. */
export const roleIn = (
  member: Pick<Member, "organizationRole" | "workspaces">,
  workspaceId: WorkspaceId
): Role | undefined =>
  member.organizationRole ?? member.workspaces.find((grant) => grant.workspaceId === workspaceId)?.role
