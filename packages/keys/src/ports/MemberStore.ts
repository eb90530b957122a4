import type { OrganizationId, Page, PageRequest, Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Member, MemberId, User, UserId } from "../Member.ts"

/** Keeps people and their part in organizations. Held by `memberStoreContract`. */
export class MemberStore extends Context.Service<
  MemberStore,
  {
    /** Lets one transaction at a time change an organization's members, until it ends. */
    readonly hold: (organizationId: OrganizationId) => Effect.Effect<void, never, Transaction>
    /**
     * Inserts the member, or replaces the one with its id; the user and the time of joining are left as they are. Only the id of
     * the inviting key is kept: readers get that key's present state.
     */
    readonly put: (member: Member) => Effect.Effect<void, never, Transaction>
    readonly find: (organizationId: OrganizationId, id: MemberId) => Effect.Effect<Member | undefined>
    /** The member who was invited at this address, in lower case. */
    readonly findByEmail: (organizationId: OrganizationId, email: string) => Effect.Effect<Member | undefined>
    /** The organization's members, newest first. */
    readonly list: (organizationId: OrganizationId, page: PageRequest) => Effect.Effect<Page<Member>>
    /** How many members the organization has, invited ones included, counted no further than `max`. */
    readonly count: (organizationId: OrganizationId, max: number) => Effect.Effect<number>
    /** How many owners have taken their invitation up. */
    readonly countOwners: (organizationId: OrganizationId) => Effect.Effect<number>
    /** Removes the member, whose sessions in the organization are refused from then on. False when there is none. */
    readonly remove: (organizationId: OrganizationId, id: MemberId) => Effect.Effect<boolean, never, Transaction>
    /** The person whom the issuer knows under this subject. */
    readonly findUser: (issuer: string, subject: string) => Effect.Effect<User | undefined>
    /** Inserts the user, or replaces address and name of the one with this issuer and subject. Answers it as kept. */
    readonly putUser: (user: User) => Effect.Effect<User, never, Transaction>
    /**
     * Lets the user take up every invitation for this address (in lower case), of whatever organization, that is `invited` at
     * that time. An invitation is taken up once: of two who come at the same time, one gets it. Answers the members so joined.
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
