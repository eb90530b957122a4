import type { OrganizationId, Page, PageRequest, Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Member, MemberId, User, UserId } from "../Member.ts"

/** Keeps people and their roles in organizations. Tested by `memberStoreContract`. */
export class MemberStore extends Context.Service<
  MemberStore,
  {
    /** Locks the members of an organization until the transaction ends, so that one transaction at a time changes them. */
    readonly hold: (organizationId: OrganizationId) => Effect.Effect<void, never, Transaction>
    /**
     * Inserts the member, or replaces the one with its id, whose user and time of joining stay. Only the id of the inviting key is
     * stored; readers get that key's present state.
     */
    readonly put: (member: Member) => Effect.Effect<void, never, Transaction>
    readonly find: (organizationId: OrganizationId, id: MemberId) => Effect.Effect<Member | undefined>
    /** The member who was invited at this address, in lower case. */
    readonly findByEmail: (organizationId: OrganizationId, email: string) => Effect.Effect<Member | undefined>
    /** The organization's members, newest first. */
    readonly list: (organizationId: OrganizationId, page: PageRequest) => Effect.Effect<Page<Member>>
    /** How many members the organization has, invited ones included, counted no further than `max`. */
    readonly count: (organizationId: OrganizationId, max: number) => Effect.Effect<number>
    /** How many owners have joined. */
    readonly countOwners: (organizationId: OrganizationId) => Effect.Effect<number>
    /** Removes the member, whose sessions in the organization are refused from then on. False when there is none. */
    readonly remove: (organizationId: OrganizationId, id: MemberId) => Effect.Effect<boolean, never, Transaction>
    /** The person whom the issuer knows under this subject. */
    readonly findUser: (issuer: string, subject: string) => Effect.Effect<User | undefined>
    /** Inserts the user, or replaces address and name of the one with this issuer and subject. Returns the stored user. */
    readonly putUser: (user: User) => Effect.Effect<User, never, Transaction>
    /**
     * Makes the user a member by every invitation for this address (in lower case), of whatever organization, that is `invited` at
     * that time. An invitation is taken up once: of two users at the same time, one gets it. Returns the members that joined.
     */
    readonly takeUp: (
      email: string,
      user: User,
      at: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<Member>, never, Transaction>
    /** The memberships of the user in each of its organizations, the earliest joined first. */
    readonly membershipsOf: (userId: UserId) => Effect.Effect<ReadonlyArray<Member>>
  }
>()("@agent-platform/keys/MemberStore") {}
