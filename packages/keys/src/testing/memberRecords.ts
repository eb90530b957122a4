import { atomic, OrganizationId } from "@agent-platform/kernel"
import { anId, aTenant } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { MemberId, type WorkspaceGrant } from "../Member.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { MemberStore } from "../ports/MemberStore.ts"
import { aMember, anEmail } from "./builders.ts"
import {
  anotherWorkspace,
  at,
  type Cases,
  find,
  stateOf,
  storeJoined,
  storeKey,
  storeMember,
  storeUser
} from "./storedMembers.ts"

/** Cases about the records of members, and about reading them. */
export const memberRecordCases: Cases = (it) => {
  it.effect("gives back a member exactly as it was put, its workspaces in the order of their ids", () =>
    Effect.gen(function* () {
      const tenant = yield* aTenant()
      const other = yield* anotherWorkspace(tenant)
      const workspaces = [
        { workspaceId: tenant.workspaceId, role: "member" },
        { workspaceId: other.workspaceId, role: "viewer" }
      ] satisfies ReadonlyArray<WorkspaceGrant>
      const member = yield* storeMember(tenant, {
        email: `ada.größe+${anId(MemberId)}@example.com`,
        organizationRole: "admin",
        workspaces: workspaces.toReversed(),
        invitedBy: { type: "system", id: "admin", label: 'é "quoted"' },
        invitedAt: DateTime.makeUnsafe("2026-11-21T23:59:59.987Z")
      })
      const sorted = workspaces.sort((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1))
      assert.deepStrictEqual(yield* find(member), { ...member, workspaces: sorted })
    })
  )

  it.effect("gives back the key that invited, as it is by then", () =>
    Effect.gen(function* () {
      const [store, keys] = [yield* MemberStore, yield* ApiKeyStore]
      const tenant = yield* aTenant()
      const key = yield* storeKey(tenant, { expiresAt: at(60) })
      const member = yield* storeMember(tenant, { invitedByKey: stateOf(key) })
      yield* storeMember(tenant)
      assert.deepStrictEqual(yield* find(member), member)
      const owner = { organizationId: tenant.organizationId, workspaceId: null }
      const revoked = yield* atomic(keys.revoke(owner, key.id, at(1)))
      const expected = { ...member, invitedByKey: stateOf(revoked!.key) }
      assert.deepStrictEqual(expected.invitedByKey?.revokedAt, at(1))
      assert.deepStrictEqual(yield* find(member), expected)
      assert.deepStrictEqual(yield* store.findByEmail(tenant.organizationId, member.email), expected)
      const { items } = yield* store.list(tenant.organizationId, { limit: 50, before: undefined })
      assert.deepStrictEqual(
        items.find(({ id }) => id === member.id),
        expected
      )
      yield* atomic(store.put({ ...expected, invitedByKey: null }))
      assert.deepStrictEqual(yield* find(member), { ...member, invitedByKey: null })
    })
  )

  it.effect("finds a member by its id and by its address, in its organization alone", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const [mine, foreign] = [yield* aTenant(), yield* aTenant()]
      const member = yield* storeMember(mine)
      assert.deepStrictEqual(yield* store.findByEmail(mine.organizationId, member.email), member)
      for (const organizationId of [foreign.organizationId, anId(OrganizationId)]) {
        assert.isUndefined(yield* store.find(organizationId, member.id))
        assert.isUndefined(yield* store.findByEmail(organizationId, member.email))
      }
      assert.isUndefined(yield* store.find(mine.organizationId, anId(MemberId)))
      assert.isUndefined(yield* store.findByEmail(mine.organizationId, anEmail()))
    })
  )

  it.effect("lets five of twenty who invite at once invite, where five is what the organization may have", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const [{ organizationId }, other] = [yield* aTenant(), yield* aTenant()]
      yield* storeMember(other)
      const invite = Effect.gen(function* () {
        yield* store.hold(organizationId)
        if ((yield* store.count(organizationId, 5)) < 5) yield* store.put(aMember({ organizationId }))
      })
      yield* Effect.forEach(Array.from({ length: 20 }), () => atomic(invite), { concurrency: "unbounded" })
      assert.strictEqual(yield* store.count(organizationId, 100), 5)
      assert.strictEqual(yield* store.count(organizationId, 3), 3)
      assert.strictEqual(yield* store.count(other.organizationId, 100), 1)
    })
  )

  it.effect("keeps members of two organizations apart that were invited at the same address", () =>
    Effect.gen(function* () {
      const [mine, foreign] = [yield* aTenant(), yield* aTenant()]
      const email = anEmail()
      const one = yield* storeMember(mine, { email, organizationRole: "owner" })
      const two = yield* storeMember(foreign, { email, organizationRole: null })
      assert.deepStrictEqual([yield* find(one), yield* find(two)], [one, two])
    })
  )

  it.effect("replaces the part of a member and leaves who joined, and when", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const tenant = yield* aTenant()
      const { member } = yield* storeJoined(tenant, { organizationRole: "owner" })
      const workspaces = [{ workspaceId: tenant.workspaceId, role: "viewer" }] as const
      const part = { ...member, organizationRole: null, workspaces, user: null, joinedAt: null }
      yield* atomic(store.put(part))
      assert.deepStrictEqual(yield* find(member), { ...member, organizationRole: null, workspaces })
      yield* atomic(store.put({ ...part, workspaces: [] }))
      assert.deepStrictEqual((yield* find(member))?.workspaces, [])
    })
  )

  it.effect("lists the members of one organization, newest first, page by page, joined or not", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const [mine, foreign] = [yield* aTenant(), yield* aTenant()]
      const members = [yield* storeMember(mine), (yield* storeJoined(mine)).member, yield* storeMember(mine)]
      yield* storeMember(foreign)
      const first = yield* store.list(mine.organizationId, { limit: 2, before: undefined })
      const rest = yield* store.list(mine.organizationId, { limit: 2, before: first.next })
      assert.strictEqual(first.items.length, 2)
      assert.deepStrictEqual([...first.items, ...rest.items], members.toReversed())
      assert.isUndefined(rest.next)
    })
  )

  it.effect("counts the owners of one organization who have joined", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const [mine, foreign] = [yield* aTenant(), yield* aTenant()]
      yield* storeJoined(mine, { organizationRole: "owner" })
      yield* storeJoined(mine, { organizationRole: "owner" })
      yield* storeJoined(mine, { organizationRole: "admin" })
      yield* storeMember(mine, { organizationRole: "owner" })
      yield* storeJoined(foreign, { organizationRole: "owner" })
      assert.strictEqual(yield* store.countOwners(mine.organizationId), 2)
      assert.strictEqual(yield* store.countOwners(anId(OrganizationId)), 0)
    })
  )

  it.effect("removes a member of its organization alone, and says whether there was one", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const [mine, foreign] = [yield* aTenant(), yield* aTenant()]
      const workspaces = [{ workspaceId: mine.workspaceId, role: "member" }] as const
      const { member, user } = yield* storeJoined(mine, { workspaces })
      const remove = (organizationId: OrganizationId) => atomic(store.remove(organizationId, member.id))
      assert.isFalse(yield* remove(foreign.organizationId))
      assert.deepStrictEqual(yield* find(member), member)
      assert.isTrue(yield* remove(mine.organizationId))
      assert.isFalse(yield* remove(mine.organizationId))
      assert.isUndefined(yield* find(member))
      assert.isEmpty(yield* store.membershipsOf(user.id))
    })
  )

  it.effect("keeps nothing of a transaction that fails", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const tenant = yield* aTenant()
      const kept = yield* storeMember(tenant)
      const user = yield* storeUser()
      const added = aMember({ organizationId: tenant.organizationId })
      const changes = Effect.gen(function* () {
        yield* store.put(added)
        yield* store.put({ ...kept, organizationRole: "owner" })
        yield* store.takeUp(kept.email, user, DateTime.makeUnsafe("2026-11-22T08:00:00Z"))
        yield* store.putUser({ ...user, name: "Somebody else" })
        return yield* Effect.fail("refused")
      })
      yield* Effect.exit(atomic(changes))
      yield* Effect.exit(atomic(Effect.andThen(store.remove(tenant.organizationId, kept.id), Effect.fail("refused"))))
      assert.isUndefined(yield* find(added))
      assert.deepStrictEqual(yield* find(kept), kept)
      assert.deepStrictEqual(yield* store.findUser(user.issuer, user.subject), user)
    })
  )

  // Counting and removing are two steps. Without `hold` all twelve would count more than one owner.
  it.effect("leaves one of twelve owners who are removed at once unless they are the last", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const tenant = yield* aTenant()
      const owners = yield* Effect.forEach(Array.from({ length: 12 }), () =>
        storeJoined(tenant, { organizationRole: "owner" })
      )
      const removed = yield* Effect.forEach(
        owners,
        ({ member }) =>
          atomic(
            Effect.gen(function* () {
              yield* store.hold(tenant.organizationId)
              const count = yield* store.countOwners(tenant.organizationId)
              return count > 1 ? yield* store.remove(tenant.organizationId, member.id) : false
            })
          ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(removed.filter((one) => one).length, 11)
      assert.strictEqual(yield* store.countOwners(tenant.organizationId), 1)
    })
  )
}
