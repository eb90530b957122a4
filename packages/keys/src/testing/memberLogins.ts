import { atomic } from "@agent-platform/kernel"
import { anId, aTenant } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { UserId } from "../Member.ts"
import { MemberStore } from "../ports/MemberStore.ts"
import { anEmail, aUser } from "./builders.ts"
import {
  at,
  type Cases,
  find,
  stateOf,
  storeJoined,
  storeKey,
  storeMember,
  storeUser,
  takeUp
} from "./storedMembers.ts"

/** Cases about people who become members. Spec: OAuth. */
export const memberLoginCases: Cases = (it) => {
  it.effect("knows a person by issuer and subject together", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const user = yield* storeUser({ name: "שלום é", subject: `a"b|${anId(UserId)}` })
      assert.deepStrictEqual(yield* store.findUser(user.issuer, user.subject), user)
      assert.isUndefined(yield* store.findUser("https://other.example.com", user.subject))
      assert.isUndefined(yield* store.findUser(user.issuer, anId(UserId)))
    })
  )

  it.effect("keeps who a person is while address and name change", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const user = yield* storeUser()
      const later = aUser({ issuer: user.issuer, subject: user.subject, name: "Ada King", createdAt: at(60) })
      const kept = yield* atomic(store.putUser(later))
      assert.deepStrictEqual(kept, { ...user, email: later.email, name: "Ada King" })
      assert.deepStrictEqual(yield* store.findUser(user.issuer, user.subject), kept)
    })
  )

  it.effect("lets twenty first logins at once of one person agree on who it is", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const { issuer, subject } = aUser()
      const kept = yield* Effect.forEach(
        Array.from({ length: 20 }, () => aUser({ issuer, subject })),
        (user) => atomic(store.putUser(user)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(kept.map((user) => user.id)).size, 1)
    })
  )

  it.effect("lets a person take up every invitation for its address, of whatever organization", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* aTenant(), yield* aTenant()]
      const email = anEmail()
      const [first, second] = [yield* storeMember(one, { email }), yield* storeMember(two, { email })]
      const another = yield* storeMember(one)
      const user = yield* storeUser({ email })
      const joined = { user: { id: user.id, name: user.name }, joinedAt: at(1) }
      const expected = [
        { ...first, ...joined },
        { ...second, ...joined }
      ]
      assert.deepStrictEqual(yield* takeUp(email, user, at(1)), expected)
      assert.deepStrictEqual([yield* find(first), yield* find(second)], expected)
      assert.deepStrictEqual(yield* find(another), another)
    })
  )

  it.effect("gives nobody an invitation by a key that is not accepted at that time", () =>
    Effect.gen(function* () {
      const tenant = yield* aTenant()
      const successor = yield* storeKey(tenant)
      const keys = {
        accepted: yield* storeKey(tenant, { expiresAt: at(61) }),
        rotating: yield* storeKey(tenant, { expiresAt: at(61), replacedBy: successor.id }),
        expired: yield* storeKey(tenant, { expiresAt: at(60) }),
        revoked: yield* storeKey(tenant, { revokedAt: at(1) }),
        disabled: yield* storeKey(tenant, { disabled: true })
      }
      const taken: Array<string> = []
      for (const [status, key] of Object.entries(keys)) {
        const member = yield* storeMember(tenant, { invitedByKey: stateOf(key) })
        const user = yield* storeUser({ email: member.email })
        const joined = yield* takeUp(member.email, user, at(60))
        if (joined.length > 0) taken.push(status)
        const expected = joined.length > 0 ? { user: { id: user.id, name: user.name }, joinedAt: at(60) } : {}
        assert.deepStrictEqual(yield* find(member), { ...member, ...expected })
      }
      assert.deepStrictEqual(taken, ["accepted", "rotating"])
    })
  )

  it.effect("gives an invitation that was taken up to nobody else", () =>
    Effect.gen(function* () {
      const { member } = yield* storeJoined(yield* aTenant())
      const late = yield* storeUser({ email: member.email })
      assert.isEmpty(yield* takeUp(member.email, late, at(60)))
      assert.deepStrictEqual(yield* find(member), member)
    })
  )

  it.effect("gives an invitation to one of twenty who come for it at the same time", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* aTenant(), yield* aTenant()]
      const email = anEmail()
      const members = [yield* storeMember(one, { email }), yield* storeMember(two, { email })]
      const users = yield* Effect.forEach(Array.from({ length: 20 }), () => storeUser({ email }))
      const taken = yield* Effect.forEach(users, (user) => takeUp(email, user), { concurrency: "unbounded" })
      assert.strictEqual(taken.flat().length, members.length)
      const winners = new Set(taken.flat().map((member) => member.user?.id))
      for (const member of members) assert.isTrue(winners.has((yield* find(member))?.user?.id))
    })
  )

  it.effect("leaves a second invitation to one organization open, also when both come up at the same time", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const tenant = yield* aTenant()
      const invitations = [yield* storeMember(tenant), yield* storeMember(tenant)]
      const user = yield* storeUser()
      const taken = yield* Effect.forEach(invitations, ({ email }) => takeUp(email, user), {
        concurrency: "unbounded"
      })
      assert.strictEqual(taken.flat().length, 1)
      for (const { email } of invitations) assert.isEmpty(yield* takeUp(email, user))
      assert.deepStrictEqual(yield* store.membershipsOf(user.id), taken.flat())
    })
  )

  it.effect("answers what a person is in each organization, the earliest joined first", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const [one, two] = [yield* aTenant(), yield* aTenant()]
      const user = yield* storeUser()
      const [younger, older] = [yield* storeMember(one), yield* storeMember(two)]
      yield* storeMember(one)
      yield* takeUp(older.email, user, at(1))
      yield* takeUp(younger.email, user, at(2))
      const memberships = yield* store.membershipsOf(user.id)
      assert.deepStrictEqual(
        memberships.map((member) => [member.id, member.joinedAt]),
        [
          [older.id, at(1)],
          [younger.id, at(2)]
        ]
      )
      assert.isEmpty(yield* store.membershipsOf(anId(UserId)))
    })
  )

  it.effect("shows a member under the name that its user has by now", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const { member, user } = yield* storeJoined(yield* aTenant())
      yield* atomic(store.putUser({ ...user, name: "Ada King" }))
      assert.deepStrictEqual((yield* find(member))?.user, { id: user.id, name: "Ada King" })
    })
  )
}
