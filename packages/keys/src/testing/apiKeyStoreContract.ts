import { OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { type ApiKey, ApiKeyId, scopesOfKind } from "../ApiKey.ts"
import { ApiKeyStore, type KeyOwner } from "../ports/ApiKeyStore.ts"
import { TenancyStore } from "../ports/TenancyStore.ts"
import { aHash, anApiKey, anOrganization, aWorkspace } from "./builders.ts"

/** What the suite runs on: the store itself, and where the workspaces of its keys are kept. */
export type ApiKeyStoreContractPorts = ApiKeyStore | TenancyStore | UnitOfWork

/** What every store of keys must hold. */
export const apiKeyStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<ApiKeyStoreContractPorts, E>) =>
  describe(`API key store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const atomic = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
      const REVOKED_AT = DateTime.makeUnsafe("2026-11-22T08:00:00.007Z")

      /** Founds an organization with two workspaces, and names who can own keys there. */
      const tenants = Effect.gen(function* () {
        const store = yield* TenancyStore
        const organization = anOrganization()
        const [first, second] = [1, 2].map(() => aWorkspace({ organizationId: organization.id }))
        if (first === undefined || second === undefined) throw new Error("Two workspaces were made")
        yield* atomic(
          Effect.gen(function* () {
            yield* store.insertOrganization(organization)
            yield* store.insertWorkspace(first)
            yield* store.insertWorkspace(second)
          })
        )
        const owner = (workspaceId: WorkspaceId | null): KeyOwner => ({ organizationId: organization.id, workspaceId })
        return {
          whole: owner(null),
          first: owner(first.id),
          second: owner(second.id),
          workspaces: [first.id, second.id]
        }
      })

      const insert = (key: ApiKey, hash = aHash()) =>
        ApiKeyStore.use((store) => Effect.as(atomic(store.insert(key, hash)), { key, hash }))
      const keyOf = (owner: KeyOwner, override: Partial<ApiKey> = {}) =>
        insert(
          anApiKey({
            ...owner,
            kind: owner.workspaceId === null ? "organization" : "workspace",
            scopes: scopesOfKind(owner.workspaceId === null ? "organization" : "workspace"),
            ...override
          })
        )
      const revoke = (owner: KeyOwner, id: ApiKeyId, at = REVOKED_AT) =>
        ApiKeyStore.use((store) => atomic(store.revoke(owner, id, at)))

      it.effect("gives back a key exactly as it was inserted", () =>
        Effect.gen(function* () {
          const store = yield* ApiKeyStore
          const { first } = yield* tenants
          const { hash, key } = yield* keyOf(first, {
            name: 'Größe 💡 "quoted" \\ \u0001\u2028',
            scopes: ["runs:write", "agents:read"],
            metadata: { team: "é", "": "empty", 'a"b': "שלום" },
            disabled: true,
            version: 3,
            createdAt: DateTime.makeUnsafe("2026-11-21T23:59:59.987Z"),
            createdBy: { type: "agent", id: "worker-1", label: "the é agent" },
            expiresAt: DateTime.makeUnsafe("2027-01-01T00:00:00.001Z")
          })
          assert.deepStrictEqual(yield* store.find(first, key.id), key)
          assert.deepStrictEqual((yield* store.findByHash(hash, undefined))?.key, key)
        })
      )

      it.effect("knows a key by its hash and by no other", () =>
        Effect.gen(function* () {
          const store = yield* ApiKeyStore
          const { first } = yield* tenants
          const [one, two] = [yield* keyOf(first), yield* keyOf(first)]
          assert.strictEqual((yield* store.findByHash(one.hash, undefined))?.key.id, one.key.id)
          assert.strictEqual((yield* store.findByHash(two.hash, undefined))?.key.id, two.key.id)
          assert.isUndefined(yield* store.findByHash(aHash(), undefined))
          assert.isUndefined(yield* store.findByHash("", undefined))
        })
      )

      it.effect("tells whether a workspace is one of the key's organization", () =>
        Effect.gen(function* () {
          const store = yield* ApiKeyStore
          const [mine, foreign] = [yield* tenants, yield* tenants]
          for (const owner of [mine.whole, mine.first]) {
            const { hash } = yield* keyOf(owner)
            const found = (workspaceId: WorkspaceId | undefined) =>
              Effect.map(store.findByHash(hash, workspaceId), (row) => row?.workspaceFound)
            for (const workspaceId of mine.workspaces) assert.isTrue(yield* found(workspaceId))
            for (const workspaceId of foreign.workspaces) assert.isFalse(yield* found(workspaceId))
            assert.isFalse(yield* found(anId(WorkspaceId)))
            assert.isFalse(yield* found(undefined))
          }
        })
      )

      it.effect("finds a key for its owner and for nobody else", () =>
        Effect.gen(function* () {
          const store = yield* ApiKeyStore
          const [mine, foreign] = [yield* tenants, yield* tenants]
          const owners = [mine.whole, mine.first, mine.second, foreign.whole, foreign.first]
          for (const owner of [mine.whole, mine.first]) {
            const { key } = yield* keyOf(owner)
            for (const asking of owners) {
              const found = yield* store.find(asking, key.id)
              assert.deepStrictEqual(found, asking === owner ? key : undefined)
            }
            assert.isUndefined(yield* store.find({ ...owner, organizationId: anId(OrganizationId) }, key.id))
          }
          assert.isUndefined(yield* store.find(mine.first, anId(ApiKeyId)))
        })
      )

      it.effect("lists the owner's keys newest first, page by page, revoked ones included", () =>
        Effect.gen(function* () {
          const store = yield* ApiKeyStore
          const { first, second, whole } = yield* tenants
          const keys = []
          for (let count = 0; count < 5; count++) keys.push((yield* keyOf(first)).key)
          yield* keyOf(second)
          yield* keyOf(whole)
          yield* revoke(first, keys[2]?.id ?? anId(ApiKeyId))
          const one = yield* store.list(first, { limit: 3, before: undefined })
          const two = yield* store.list(first, { limit: 3, before: one.next })
          const newestFirst = keys
            .map((key) => key.id)
            .sort()
            .reverse()
          assert.deepStrictEqual(
            [one, two].map((page) => page.items.length),
            [3, 2]
          )
          assert.deepStrictEqual(
            [...one.items, ...two.items].map((key) => key.id),
            newestFirst
          )
          assert.deepStrictEqual(one.items[2]?.revokedAt, REVOKED_AT)
          assert.isUndefined(two.next)
        })
      )

      it.effect("lists the keys of the organization itself without those of its workspaces", () =>
        Effect.gen(function* () {
          const store = yield* ApiKeyStore
          const { first, whole } = yield* tenants
          yield* keyOf(first)
          const { key } = yield* keyOf(whole)
          assert.deepStrictEqual(yield* store.list(whole, { limit: 1, before: undefined }), {
            items: [key],
            next: undefined
          })
        })
      )

      it.effect("shows a revocation to the very next look-up", () =>
        Effect.gen(function* () {
          const store = yield* ApiKeyStore
          const { first } = yield* tenants
          const { hash, key } = yield* keyOf(first)
          const revoked = yield* revoke(first, key.id)
          assert.deepInclude(revoked, { id: key.id, name: key.name, disabled: false })
          assert.deepStrictEqual(revoked?.revokedAt, REVOKED_AT)
          assert.deepStrictEqual((yield* store.findByHash(hash, undefined))?.key, revoked)
          assert.deepStrictEqual(yield* store.find(first, key.id), revoked)
        })
      )

      it.effect("leaves a revoked key as it is when it is revoked again", () =>
        Effect.gen(function* () {
          const { first } = yield* tenants
          const { key } = yield* keyOf(first)
          const revoked = yield* revoke(first, key.id)
          assert.deepStrictEqual(yield* revoke(first, key.id, DateTime.add(REVOKED_AT, { hours: 1 })), revoked)
        })
      )

      it.effect("lets twenty revocations at once agree on one time", () =>
        Effect.gen(function* () {
          const { first } = yield* tenants
          const { key } = yield* keyOf(first)
          const answers = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, minutes) => DateTime.add(REVOKED_AT, { minutes })),
            (at) => revoke(first, key.id, at),
            { concurrency: "unbounded" }
          )
          const times = new Set(answers.map((answer) => answer?.revokedAt?.epochMilliseconds))
          assert.strictEqual(times.size, 1)
          assert.isFalse(times.has(undefined))
        })
      )

      it.effect("lets nobody but its owner revoke a key", () =>
        Effect.gen(function* () {
          const store = yield* ApiKeyStore
          const [mine, foreign] = [yield* tenants, yield* tenants]
          const { key } = yield* keyOf(mine.first)
          for (const owner of [mine.second, mine.whole, foreign.first, foreign.whole]) {
            assert.isUndefined(yield* revoke(owner, key.id))
          }
          assert.isUndefined(yield* revoke(mine.first, anId(ApiKeyId)))
          assert.deepStrictEqual(yield* store.find(mine.first, key.id), key)
        })
      )

      it.effect("keeps nothing of an insertion whose transaction fails", () =>
        Effect.gen(function* () {
          const store = yield* ApiKeyStore
          const { first } = yield* tenants
          const [key, hash] = [anApiKey(first), aHash()]
          yield* Effect.exit(atomic(Effect.andThen(store.insert(key, hash), Effect.fail("refused"))))
          assert.isUndefined(yield* store.find(first, key.id))
          assert.isUndefined(yield* store.findByHash(hash, undefined))
        })
      )

      it.effect("keeps nothing of a revocation whose transaction fails", () =>
        Effect.gen(function* () {
          const store = yield* ApiKeyStore
          const { first } = yield* tenants
          const { key } = yield* keyOf(first)
          yield* Effect.exit(atomic(Effect.andThen(store.revoke(first, key.id, REVOKED_AT), Effect.fail("refused"))))
          assert.deepStrictEqual(yield* store.find(first, key.id), key)
        })
      )
    })
  })
