/** People who have joined an organization and their sessions, shared by the cases of `loginStoreContract`. */
import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import type { Vitest } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { LoginSession } from "../LoginSession.ts"
import type { Member, User } from "../Member.ts"
import { LoginStore } from "../ports/LoginStore.ts"
import { MemberStore } from "../ports/MemberStore.ts"
import { TenancyStore } from "../ports/TenancyStore.ts"
import type { Workspace } from "../Workspace.ts"
import { aHash, aMember, anOrganization, aUser, aWorkspace } from "./builders.ts"
import { aLoginSession } from "./loginBuilders.ts"

/** The ports of the suite: the store itself, and the stores of the rows that its rows refer to. */
export type LoginStoreContractPorts = LoginStore | MemberStore | TenancyStore | UnitOfWork

/** A part of the suite. */
export type Cases = (it: Vitest.MethodsNonLive<LoginStoreContractPorts>) => void

/** A time of the suite, given in seconds after the sessions of its builders were opened. */
export const at = (seconds: number): DateTime.Utc =>
  DateTime.add(DateTime.makeUnsafe("2026-11-22T08:00:00.007Z"), { seconds })

export const DAY_SECONDS = 86_400

/** A person who has joined an organization with two workspaces. */
export interface Joined {
  readonly user: User
  readonly member: Member
  readonly workspaces: readonly [Workspace, Workspace]
}

/** Stores an organization with two workspaces, and a person who has joined it: `person`, if one is given. */
export const joined = Effect.fnUntraced(function* (
  part: (workspaces: Joined["workspaces"]) => Partial<Member> = () => ({}),
  person?: User
) {
  const [tenancy, members] = [yield* TenancyStore, yield* MemberStore]
  const organization = anOrganization()
  const workspaces = [
    aWorkspace({ organizationId: organization.id }),
    aWorkspace({ organizationId: organization.id })
  ] as const
  const member = aMember({ organizationId: organization.id, ...part(workspaces) })
  const user = person ?? aUser({ email: member.email })
  yield* atomic(
    Effect.gen(function* () {
      yield* tenancy.insertOrganization(organization)
      yield* Effect.forEach(workspaces, tenancy.insertWorkspace, { discard: true })
      yield* members.put(member)
      yield* members.takeUp(member.email, yield* members.putUser(user), at(0))
    })
  )
  const result: Joined = { user, member, workspaces }
  return result
})

/** Stores a session of a person who has joined. */
export const opened = Effect.fnUntraced(function* ({ member, user }: Joined, override: Partial<LoginSession> = {}) {
  const store = yield* LoginStore
  const session = aLoginSession({
    organizationId: member.organizationId,
    memberId: member.id,
    userId: user.id,
    ...override
  })
  const hash = aHash()
  yield* atomic(store.insert(session, hash))
  return { session, hash }
})
