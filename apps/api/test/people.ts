/** People with sessions, as if they had logged in a moment ago. */
import { createHash, randomBytes } from "node:crypto"
import { OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { type LoginSession, LoginStore, type Member, MemberStore, type Role, type User } from "@agent-platform/keys"
import { aLoginSession, aMember, aUser } from "@agent-platform/keys/testing"
import { DateTime, Effect } from "effect"
import { type Tenant, TestApi } from "./support.ts"

export const COOKIE = "__Host-agent-platform-session"

/** Somebody with an open session. */
export interface PersonSession {
  readonly user: User
  readonly member: Member
  readonly session: LoginSession
  /** The value of the cookie. */
  readonly secret: string
  /** The headers that a browser sends by itself. */
  readonly headers: Readonly<Record<string, string>>
  /** The same with the CSRF token that a page of ours adds. */
  readonly unsafe: Readonly<Record<string, string>>
}

const partOf = (role: Role | "nothing", { workspaceId }: Tenant): Pick<Member, "organizationRole" | "workspaces"> => {
  switch (role) {
    case "owner":
    case "admin":
      return { organizationRole: role, workspaces: [] }
    case "member":
    case "viewer":
      return { organizationRole: null, workspaces: [{ workspaceId: WorkspaceId.make(workspaceId), role }] }
    case "nothing":
      return { organizationRole: null, workspaces: [] }
  }
}

/** Opens another session of somebody who has joined. */
export const openSession = Effect.fnUntraced(function* (
  member: Member,
  user: User,
  override: Partial<LoginSession> = {}
) {
  const [api, logins, unit] = [yield* TestApi, yield* LoginStore, yield* UnitOfWork]
  const secret = randomBytes(32).toString("base64url")
  const now = yield* DateTime.now
  const session = aLoginSession({
    organizationId: member.organizationId,
    memberId: member.id,
    userId: user.id,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: DateTime.add(now, { days: 30 }),
    ...override
  })
  yield* unit.atomic(logins.insert(session, createHash("sha256").update(secret).digest("hex")))
  const headers = { cookie: `${COOKIE}=${secret}` }
  const me = yield* api.call("GET", "/api/v1/auth/me", { headers })
  const opened: PersonSession = {
    user,
    member,
    session,
    secret,
    headers,
    unsafe: { ...headers, "x-csrf-token": String(me.json?.["csrf_token"]) }
  }
  return opened
})

/** Lets somebody join the tenant's organization, and opens a session of theirs. */
export const aPerson = Effect.fnUntraced(function* (
  tenant: Tenant,
  role: Role | "nothing",
  override: { readonly session?: Partial<LoginSession>; readonly user?: User } = {}
) {
  const [members, unit] = [yield* MemberStore, yield* UnitOfWork]
  const member = aMember({ organizationId: OrganizationId.make(tenant.organizationId), ...partOf(role, tenant) })
  const now = yield* DateTime.now
  const user = yield* unit.atomic(
    Effect.gen(function* () {
      const kept = yield* members.putUser(
        override.user ?? aUser({ email: member.email, subject: anId(OrganizationId) })
      )
      yield* members.put(member)
      yield* members.takeUp(member.email, kept, now)
      return kept
    })
  )
  return yield* openSession(member, user, override.session)
})
