/** People: their identities at their provider, and their parts in an organization. */
import { type Actor, type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, Schema } from "effect"
import { type ApiKeyState, isAccepted, statusOf } from "./ApiKey.ts"
import type { OrganizationRole, Role, WorkspaceRole } from "./Role.ts"

export const UserId = Uuid.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

export const MemberId = Uuid.pipe(Schema.brand("MemberId"))
export type MemberId = typeof MemberId.Type

/** A person for whom an identity provider vouches. `issuer` and `subject` identify the person; the rest may change. */
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
 * A person in an organization. The person is invited by e-mail address, and takes the invitation up by a login with that
 * address, verified. From then on the user counts and not the address. Spec: OAuth.
 */
export interface Member {
  readonly id: MemberId
  readonly organizationId: OrganizationId
  /** The invited address, in lower case. An organization has one member for each address. */
  readonly email: string
  /** Null for somebody who has a part in workspaces only. */
  readonly organizationRole: OrganizationRole | null
  readonly workspaces: ReadonlyArray<WorkspaceGrant>
  /** The user who took the invitation up; null while nobody has. */
  readonly user: { readonly id: UserId; readonly name: string } | null
  readonly invitedBy: Actor
  /** The present state of the key that invited; null where a person or the operator invited. */
  readonly invitedByKey: ApiKeyState | null
  readonly invitedAt: DateTime.Utc
  readonly joinedAt: DateTime.Utc | null
}

/** How a member reads in a list. A `lapsed` invitation cannot be taken up until somebody renews it. */
export const MemberStatus = Schema.Literals(["invited", "lapsed", "joined"])
export type MemberStatus = typeof MemberStatus.Type

/** The status at `now`. An invitation by a key lapses with the key; a member who has joined stays. */
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

/** The role of `member` in a workspace; a role in the organization reaches every workspace. Undefined for none. */
export const roleIn = (
  member: Pick<Member, "organizationRole" | "workspaces">,
  workspaceId: WorkspaceId
): Role | undefined =>
  member.organizationRole ?? member.workspaces.find((grant) => grant.workspaceId === workspaceId)?.role
