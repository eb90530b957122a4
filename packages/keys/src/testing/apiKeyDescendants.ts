import { atomic } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { type ApiKey, ApiKeyId } from "../ApiKey.ts"
import { ApiKeyStore, type KeyOwner } from "../ports/ApiKeyStore.ts"
import { type Cases, keyOf, REVOKED_AT, revoke, tenants } from "./storedApiKeys.ts"

/** A key that another has made. */
const madeBy = (maker: ApiKey, owner: KeyOwner) =>
  Effect.map(keyOf(owner, { createdBy: { type: "user", id: maker.id, label: maker.name } }), ({ key }) => key)

const revokeDescendants = ({ id, organizationId }: Pick<ApiKey, "id" | "organizationId">, max = 100) =>
  ApiKeyStore.use((store) => atomic(store.revokeDescendants(organizationId, id, REVOKED_AT, max)))

const count = ({ id, organizationId }: Pick<ApiKey, "id" | "organizationId">) =>
  ApiKeyStore.use((store) => store.countDescendants(organizationId, id))

/** Cases about the revocation of a key's descendants. */
export const descendantCases: Cases = (it) => {
  it.effect("revokes what a key has made, what that has made, and so on, of any owner, and nothing else", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, second, ofOrganization } = yield* tenants
      const { key } = yield* keyOf(ofOrganization)
      const { key: sibling } = yield* keyOf(ofOrganization)
      const child = yield* madeBy(key, ofOrganization)
      const grandchildren = [yield* madeBy(child, first), yield* madeBy(child, second)]
      const last = yield* madeBy(grandchildren[0]!, first)
      const descendants = [child, ...grandchildren, last]
      yield* madeBy(sibling, first)
      assert.strictEqual(yield* count(key), 4)
      const revoked = yield* revokeDescendants(key)
      assert.sameDeepMembers(
        [...revoked],
        descendants.map((one) => ({ ...one, version: one.version + 1, revokedAt: REVOKED_AT }))
      )
      for (const one of revoked) assert.deepStrictEqual(yield* store.find(one, one.id), one)
      for (const one of [key, sibling]) assert.deepStrictEqual(yield* store.find(ofOrganization, one.id), one)
      assert.isEmpty(yield* revokeDescendants(key))
      assert.deepStrictEqual([yield* count(key), yield* count(sibling), yield* count(last)], [4, 1, 0])
    })
  )

  it.effect("looks past keys that are revoked already, and leaves their time as it is", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      const child = yield* madeBy(key, first)
      const grandchild = yield* madeBy(child, first)
      const earlier = DateTime.subtract(REVOKED_AT, { hours: 1 })
      yield* revoke(first, child.id, earlier)
      assert.deepStrictEqual(
        (yield* revokeDescendants(key)).map(({ id }) => id),
        [grandchild.id]
      )
      assert.deepStrictEqual((yield* store.find(first, child.id))?.revokedAt, earlier)
      assert.strictEqual(yield* count(key), 2)
    })
  )

  it.effect("revokes no more than `max` at once, and goes on with the rest", () =>
    Effect.gen(function* () {
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      let maker = key
      for (let depth = 0; depth < 5; depth++) maker = yield* madeBy(maker, first)
      const lengths = []
      for (let round = 0; round < 4; round++) lengths.push((yield* revokeDescendants(key, 2)).length)
      assert.deepStrictEqual(lengths, [2, 2, 1, 0])
    })
  )

  it.effect("knows nothing of descendants under another organization, nor of those of an unknown key", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const [mine, foreign] = [yield* tenants, yield* tenants]
      const { key } = yield* keyOf(mine.first)
      const child = yield* madeBy(key, mine.first)
      const claimed = yield* madeBy(key, foreign.first)
      assert.isEmpty(yield* revokeDescendants({ ...key, id: anId(ApiKeyId) }))
      assert.strictEqual(yield* count({ ...key, id: anId(ApiKeyId) }), 0)
      yield* revokeDescendants(key)
      assert.isNotNull((yield* store.find(mine.first, child.id))?.revokedAt)
      assert.deepStrictEqual(yield* store.find(foreign.first, claimed.id), claimed)
    })
  )

  it.effect("keeps nothing of a revocation of descendants whose transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      const child = yield* madeBy(key, first)
      const revoking = store.revokeDescendants(key.organizationId, key.id, REVOKED_AT, 100)
      yield* Effect.exit(atomic(Effect.andThen(revoking, Effect.fail("refused"))))
      assert.deepStrictEqual(yield* store.find(first, child.id), child)
    })
  )
}
