import { type Actor, freshId, type OrganizationId, recordActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { parseEmail } from "../../Email.ts"
import { generateLoginSecret, hashLoginSecret } from "../../LoginSecret.ts"
import {
  type LoginSession,
  LoginSessionId,
  NotInvited,
  SESSION_DAYS_MAX,
  USER_AGENT_LENGTH_MAX
} from "../../LoginSession.ts"
import { type Member, type User, UserId } from "../../Member.ts"
import type { Identity } from "../../ports/IdentityProvider.ts"
import { LoginStore } from "../../ports/LoginStore.ts"
import { MemberStore } from "../../ports/MemberStore.ts"

/** The address by which an identity may take up invitations: one that its provider vouches for. */
const verifiedEmailOf = (identity: Identity): string | undefined =>
  identity.emailVerified && identity.email !== null ? parseEmail(identity.email) : undefined

/** A person as an actor of the activity feed. */
const actorOf = (user: Pick<User, "id" | "name" | "email">): Actor => ({
  type: "user",
  id: user.id,
  label: user.name || user.email
})

const nobodyInvited = (email: string | undefined) =>
  email === undefined
    ? new NotInvited({
        reason: "email_unverified",
        detail: "The identity provider does not vouch for an e-mail address, and an invitation takes one"
      })
    : new NotInvited({ reason: "not_invited", detail: "Nobody has invited this e-mail address" })

const severalInvited = new NotInvited({
  reason: "several_invited",
  detail: "Several organizations have invited this e-mail address. Name the one to log in to by organization_id"
})

const recordJoin = (member: Member, actor: Actor) =>
  recordActivity({
    organizationId: member.organizationId,
    workspaceId: null,
    action: "member.joined",
    actor,
    summary: `${actor.label} took up the invitation of ${member.email}`,
    resourceType: "member",
    resourceId: member.id,
    payload: { email: member.email }
  })

/**
 * Lets a person in, within the caller's transaction. It stores the person, takes up all open invitations for their verified
 * address, and opens a session with the requested organization, or else with the one they joined first. Returns the session's
 * secret. Fails with NotInvited where there is no such membership.
 */
export const admit = useCase("keys.admit")(function* (command: {
  readonly identity: Identity
  readonly provider: string
  readonly organizationId: OrganizationId | null
  readonly userAgent: string | undefined
  readonly clientAddress: string | undefined
}) {
  const members = yield* MemberStore
  const logins = yield* LoginStore
  const { identity } = command
  const now = yield* DateTime.now
  const known = yield* members.findUser(identity.issuer, identity.subject)
  const verified = verifiedEmailOf(identity)
  // An address that the provider does not vouch for never takes the place of the stored one.
  const email = verified ?? known?.email
  if (email === undefined) return yield* nobodyInvited(verified)
  const user = yield* members.putUser({
    id: known?.id ?? (yield* freshId(UserId)),
    issuer: identity.issuer,
    subject: identity.subject,
    email,
    name: identity.name,
    createdAt: known?.createdAt ?? now
  })
  const actor = actorOf(user)
  // A refusal below rolls this back with the transaction.
  const joined = verified === undefined ? [] : yield* members.takeUp(verified, user, now)
  // Ordered by the time of joining.
  const memberships = yield* members.membershipsOf(user.id)
  const member = memberships.find(
    ({ organizationId }) => command.organizationId === null || organizationId === command.organizationId
  )
  if (member === undefined) return yield* nobodyInvited(verified)
  // A person who was in no organization chooses among several invitations, so that no organization gets them by inviting first.
  if (command.organizationId === null && joined.length > 1 && joined.length === memberships.length) {
    return yield* severalInvited
  }
  yield* Effect.forEach(joined, (one) => recordJoin(one, actor), { discard: true })

  const secret = yield* generateLoginSecret
  const session: LoginSession = {
    id: yield* freshId(LoginSessionId),
    organizationId: member.organizationId,
    memberId: member.id,
    userId: user.id,
    provider: command.provider,
    userAgent: command.userAgent?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
    clientAddress: command.clientAddress ?? null,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: DateTime.add(now, { days: SESSION_DAYS_MAX }),
    revokedAt: null
  }
  // False when somebody has removed the member since the membership was read.
  if (!(yield* logins.insert(session, yield* hashLoginSecret(secret)))) return yield* nobodyInvited(verified)
  yield* recordActivity({
    organizationId: session.organizationId,
    workspaceId: null,
    action: "session.created",
    actor,
    summary: `${actor.label} logged in through ${session.provider}`,
    resourceType: "login_session",
    resourceId: session.id,
    payload: { provider: session.provider }
  })
  return secret
})
