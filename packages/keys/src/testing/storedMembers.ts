/** People and members in the store, shared by the cases of `memberStoreContract`. */
import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import { aTenant, type Tenant, type Tenants } from "@agent-platform/kernel/testing"
import type { Vitest } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { type ApiKey, scopesOfKind } from "../ApiKey.ts"
import type { Member, User } from "../Member.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { MemberStore } from "../ports/MemberStore.ts"
import { aHash, aMember, anApiKey, aUser } from "./builders.ts"

/** The ports of the suite: the store itself, and the tenants and keys that its rows refer to. */
export type MemberStoreContractPorts = MemberStore | ApiKeyStore | Tenants | UnitOfWork

/** A part of the suite. */
export type Cases = (it: Vitest.MethodsNonLive<MemberStoreContractPorts>) => void

/** A time of the suite, given in seconds after its beginning. */
export const at = (seconds: number): DateTime.Utc =>
  DateTime.add(DateTime.makeUnsafe("2026-11-22T08:00:00.007Z"), { seconds })

/** Makes another workspace of the tenant's organization. */
export const anotherWorkspace = ({ organizationId }: Tenant) => aTenant({ organizationId })

export const storeUser = (override: Partial<User> = {}) =>
  MemberStore.use((store) => atomic(store.putUser(aUser(override))))

/** Stores an invited member of the tenant's organization. */
export const storeMember = ({ organizationId }: Tenant, override: Partial<Member> = {}) =>
  MemberStore.use((store) => {
    const member = aMember({ organizationId, ...override })
    return Effect.as(atomic(store.put(member)), member)
  })

/** Stores an organization key of the tenant. */
export const storeKey = ({ organizationId }: Tenant, override: Partial<ApiKey> = {}) =>
  ApiKeyStore.use((store) => {
    const scopes = scopesOfKind("organization")
    const key = anApiKey({ organizationId, workspaceId: null, kind: "organization", scopes, ...override })
    return Effect.as(atomic(store.insert(key, aHash())), key)
  })

/** The part of an inviting key that is read with a member. */
export const stateOf = ({ disabled, expiresAt, id, replacedBy, revokedAt }: ApiKey): Member["invitedByKey"] => ({
  id,
  revokedAt,
  expiresAt,
  disabled,
  replacedBy
})

export const takeUp = (email: string, user: User, time = at(0)) =>
  MemberStore.use((store) => atomic(store.takeUp(email, user, time)))

/** Stores a member who has joined the tenant's organization. */
export const storeJoined = (tenant: Tenant, override: Partial<Member> = {}) =>
  Effect.gen(function* () {
    const member = yield* storeMember(tenant, override)
    const user = yield* storeUser({ email: member.email })
    yield* takeUp(member.email, user)
    return { member: { ...member, user: { id: user.id, name: user.name }, joinedAt: at(0) }, user }
  })

export const find = ({ id, organizationId }: Pick<Member, "id" | "organizationId">) =>
  MemberStore.use((store) => store.find(organizationId, id))
