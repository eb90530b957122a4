import { atomic, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { LoginStore } from "../ports/LoginStore.ts"
import { MemberStore } from "../ports/MemberStore.ts"
import { aHash } from "./builders.ts"
import { aLoginSession } from "./loginBuilders.ts"
import { at, type Cases, DAY_SECONDS, joined, opened } from "./storedLogins.ts"

/** Cases about sessions, which are found by the hash of their secret and by their person. */
export const loginSessionCases: Cases = (it) => {
  const find = (hash: string, workspaceId?: WorkspaceId) =>
    LoginStore.use((store) => store.findByHash(hash, workspaceId))

  it.effect("gives back a session exactly as it was inserted, with the person and what they are", () =>
    Effect.gen(function* () {
      const somebody = yield* joined(() => ({ organizationRole: "owner" }))
      const { hash, session } = yield* opened(somebody, {
        userAgent: "é 'quoted' \\",
        clientAddress: "2001:db8::7",
        createdAt: at(0.123),
        revokedAt: at(5.987)
      })
      assert.deepStrictEqual(yield* find(hash), {
        session,
        user: somebody.user,
        organizationRole: "owner",
        workspaceFound: false,
        workspaceRole: null
      })
      assert.isUndefined(yield* find(aHash()))
    })
  )

  it.effect("finds by its id what its secret finds, in its organization alone", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const [somebody, stranger] = [yield* joined(), yield* joined()]
      const { hash, session } = yield* opened(somebody)
      const { organizationId } = session
      for (const workspaceId of [undefined, somebody.workspaces[0].id, stranger.workspaces[0].id]) {
        const found = yield* find(hash, workspaceId)
        assert.isDefined(found)
        assert.deepStrictEqual(yield* store.find(organizationId, session.id, workspaceId), found)
      }
      assert.isUndefined(yield* store.find(stranger.member.organizationId, session.id, undefined))
      yield* atomic(MemberStore.use((members) => members.remove(organizationId, session.memberId)))
      assert.isUndefined(yield* store.find(organizationId, session.id, undefined))
    })
  )

  it.effect("opens none for a member who was removed meanwhile, in either order", () =>
    Effect.gen(function* () {
      const [members, store] = [yield* MemberStore, yield* LoginStore]
      const [gone, racing] = [yield* joined(), yield* joined()]
      const sessionOf = ({ member, user }: typeof gone) =>
        aLoginSession({ organizationId: member.organizationId, memberId: member.id, userId: user.id })
      const remove = ({ member }: typeof gone) => atomic(members.remove(member.organizationId, member.id))
      yield* remove(gone)
      const hash = aHash()
      assert.isFalse(yield* atomic(store.insert(sessionOf(gone), hash)))
      assert.isUndefined(yield* find(hash))
      const hashes = Array.from({ length: 10 }, () => aHash())
      yield* Effect.all([remove(racing), ...hashes.map((one) => atomic(store.insert(sessionOf(racing), one)))], {
        concurrency: "unbounded",
        discard: true
      })
      for (const one of hashes) assert.isUndefined(yield* find(one))
    })
  )

  it.effect("keeps a session whose browser and address are not known", () =>
    Effect.gen(function* () {
      const { hash, session } = yield* opened(yield* joined(), { userAgent: null, clientAddress: null })
      assert.deepStrictEqual((yield* find(hash))?.session, session)
    })
  )

  it.effect("answers the person's part in the workspace asked for, and whose workspace it is", () =>
    Effect.gen(function* () {
      const somebody = yield* joined(([one]) => ({
        organizationRole: null,
        workspaces: [{ workspaceId: one.id, role: "viewer" }]
      }))
      const stranger = yield* joined()
      const { hash } = yield* opened(somebody)
      const partIn = (workspaceId: WorkspaceId) =>
        Effect.map(find(hash, workspaceId), (found) => [found?.workspaceFound, found?.workspaceRole])
      assert.deepStrictEqual(yield* partIn(somebody.workspaces[0].id), [true, "viewer"])
      assert.deepStrictEqual(yield* partIn(somebody.workspaces[1].id), [true, null])
      assert.deepStrictEqual(yield* partIn(stranger.workspaces[0].id), [false, null])
      assert.deepStrictEqual(yield* partIn(anId(WorkspaceId)), [false, null])
    })
  )

  it.effect("does not find the session of somebody who is no member any more, nor when they are invited again", () =>
    Effect.gen(function* () {
      const members = yield* MemberStore
      const store = yield* LoginStore
      const somebody = yield* joined()
      const { member, user } = somebody
      const { hash, session } = yield* opened(somebody)
      yield* atomic(members.remove(member.organizationId, member.id))
      const isGone = Effect.gen(function* () {
        assert.isUndefined(yield* find(hash))
        assert.isEmpty((yield* store.list(user.id, at(1), { limit: 50, before: undefined })).items)
        assert.isUndefined(yield* atomic(store.revoke(user.id, session.id, at(1))))
      })
      yield* isGone
      const again = { ...member, id: (yield* joined()).member.id }
      yield* atomic(Effect.andThen(members.put(again), members.takeUp(again.email, user, at(2))))
      yield* isGone
    })
  )

  it.effect("holds the session with this id as it finds it by its hash, and nobody else's", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const somebody = yield* joined(([one]) => ({
        organizationRole: null,
        workspaces: [{ workspaceId: one.id, role: "viewer" }]
      }))
      const [stranger, { hash, session }] = [yield* joined(), yield* opened(somebody)]
      const { organizationId } = session
      for (const workspaceId of [undefined, ...somebody.workspaces.map(({ id }) => id), stranger.workspaces[0].id]) {
        const held = yield* atomic(store.hold(organizationId, session.id, workspaceId))
        assert.isDefined(held)
        assert.deepStrictEqual(held, yield* find(hash, workspaceId))
      }
      const { member } = stranger
      assert.isUndefined(yield* atomic(store.hold(member.organizationId, session.id, undefined)))
      yield* atomic((yield* MemberStore).remove(organizationId, session.memberId))
      assert.isUndefined(yield* atomic(store.hold(organizationId, session.id, undefined)))
    })
  )

  it.effect("lets nobody revoke a session that is held, nor remove or change its member", () =>
    Effect.gen(function* () {
      const [members, store] = [yield* MemberStore, yield* LoginStore]
      for (const name of ["revoke", "remove", "change"] as const) {
        const { member, ...somebody } = yield* joined(() => ({ organizationRole: "owner" }))
        const { hash, session } = yield* opened({ member, ...somebody })
        const act =
          name === "revoke"
            ? Effect.asVoid(store.revoke(session.userId, session.id, at(1)))
            : name === "remove"
              ? Effect.asVoid(members.remove(member.organizationId, member.id))
              : members.put({ ...member, organizationRole: "admin" })
        const before = yield* find(hash)
        const held = yield* Deferred.make<void>()
        const acting = yield* Effect.forkChild(Effect.andThen(Deferred.await(held), atomic(act)))
        yield* atomic(
          Effect.gen(function* () {
            yield* store.hold(session.organizationId, session.id, undefined)
            yield* Deferred.succeed(held, undefined)
            // One read takes about as long as the act, so the act would be seen by one of twenty reads if it did not wait.
            for (let look = 0; look < 20; look++) assert.deepStrictEqual(yield* find(hash), before, name)
          })
        )
        yield* Fiber.join(acting)
        assert.notDeepEqual(yield* find(hash), before, name)
      }
    })
  )

  it.effect("notes a use unless one is noted since", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const { hash, session } = yield* opened(yield* joined())
      const other = yield* opened(yield* joined())
      const seenAt = Effect.map(find(hash), (found) => found?.session.lastSeenAt)
      yield* atomic(store.noteUse(session.id, at(60), at(0)))
      assert.deepStrictEqual(yield* seenAt, at(60))
      yield* atomic(store.noteUse(session.id, at(90), at(30)))
      assert.deepStrictEqual(yield* seenAt, at(60))
      assert.deepStrictEqual((yield* find(other.hash))?.session, other.session)
    })
  )

  it.effect("lists the person's open sessions in every organization, newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const somebody = yield* joined()
      const elsewhere = yield* joined(() => ({}), somebody.user)
      const now = at(8 * DAY_SECONDS)
      const recent = { lastSeenAt: at(DAY_SECONDS + 0.001) }
      const first = yield* opened(somebody, recent)
      yield* opened(somebody, { ...recent, revokedAt: at(5) })
      yield* opened(somebody, { ...recent, expiresAt: now })
      yield* opened(somebody, { lastSeenAt: at(DAY_SECONDS) })
      yield* opened(yield* joined(), recent)
      const second = yield* opened(elsewhere, recent)
      const third = yield* opened(somebody, recent)
      const list = (before: string | undefined) => store.list(somebody.user.id, now, { limit: 2, before })
      const page = yield* list(undefined)
      const rest = yield* list(page.next)
      assert.deepStrictEqual(
        [...page.items, ...rest.items],
        [third, second, first].map(({ session }) => session)
      )
      assert.isUndefined(rest.next)
    })
  )

  it.effect("revokes a session once, for the person whose it is and for nobody else", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const [somebody, stranger] = [yield* joined(), yield* joined()]
      const { hash, session } = yield* opened(somebody)
      assert.isUndefined(yield* atomic(store.revoke(stranger.user.id, session.id, at(1))))
      assert.deepStrictEqual((yield* find(hash))?.session, session)
      const revoked = { ...session, revokedAt: at(2) }
      assert.deepStrictEqual(yield* atomic(store.revoke(somebody.user.id, session.id, at(2))), {
        session: revoked,
        changed: true
      })
      assert.deepStrictEqual(yield* atomic(store.revoke(somebody.user.id, session.id, at(3))), {
        session: revoked,
        changed: false
      })
      assert.deepStrictEqual((yield* find(hash))?.session, revoked)
    })
  )

  it.effect("lets one of twenty revocations at once be the one that revoked", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const somebody = yield* joined()
      const { session } = yield* opened(somebody)
      const revoked = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => at(index)),
        (time) => atomic(store.revoke(somebody.user.id, session.id, time)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        revoked.filter((one) => one?.changed === true),
        1
      )
      assert.strictEqual(new Set(revoked.map((one) => one?.session.revokedAt?.epochMilliseconds)).size, 1)
    })
  )

  it.effect("keeps nothing of a transaction that fails", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const somebody = yield* joined()
      const { hash, session } = yield* opened(somebody)
      yield* Effect.flip(
        atomic(Effect.andThen(store.revoke(somebody.user.id, session.id, at(1)), Effect.fail("refused")))
      )
      assert.deepStrictEqual((yield* find(hash))?.session, session)
    })
  )

  it.effect("prunes the sessions that have reached their greatest age, and no other", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const somebody = yield* joined()
      const old = yield* opened(somebody, { expiresAt: at(700) })
      const idle = yield* opened(somebody, { expiresAt: at(700.001), revokedAt: at(1) })
      assert.isAtLeast((yield* atomic(store.prune(at(700), 100))).sessions, 1)
      assert.isUndefined(yield* find(old.hash))
      assert.deepStrictEqual((yield* find(idle.hash))?.session, idle.session)
    })
  )
}
