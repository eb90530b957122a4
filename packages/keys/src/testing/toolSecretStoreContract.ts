import { atomic, type UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { anId, aTenant, type Tenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { HostPattern } from "../HostPattern.ts"
import { ToolSecretStore } from "../ports/ToolSecretStore.ts"
import { type ToolSecret, ToolSecretId, toolSecretPlace } from "../ToolSecret.ts"
import { anOAuthClient, aToolSecret } from "./toolSecretBuilders.ts"

/** The ports of the suite: the store, and where the workspaces of its secrets are made. */
export type ToolSecretStoreContractPorts = ToolSecretStore | UnitOfWork | Tenants

const ALL = 1_000_000
const LATER = DateTime.makeUnsafe("2026-11-22T08:00:00.007Z")
const HOST = HostPattern.make("api.example.com")
const SUFFIX = HostPattern.make("*.example.com")

const sealedOf = (secret: ToolSecret) => `v1.k1.${secret.id}`

const insert = Effect.fnUntraced(function* (tenant: Tenant, override: Partial<ToolSecret> = {}) {
  const store = yield* ToolSecretStore
  const secret = aToolSecret({ ...tenant, ...override })
  yield* atomic(store.insert(secret, sealedOf(secret)))
  return secret
})

/** The contract of every store of tools' secrets. */
export const toolSecretStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<ToolSecretStoreContractPorts, E>
) =>
  describe(`store of tool secrets over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      /** The secret with its value, found by its pattern. */
      const sealed = ({ hostPattern, id, workspaceId }: ToolSecret) =>
        Effect.map(
          ToolSecretStore.use((store) => store.withPatterns(workspaceId, [hostPattern])),
          (found) => found.find(({ secret }) => secret.id === id)
        )

      it.effect("gives back a secret and its value exactly as they were inserted", () =>
        Effect.gen(function* () {
          const store = yield* ToolSecretStore
          const tenant = yield* aTenant()
          const plain = yield* insert(tenant, { name: 'Größe 💡 "quoted" \\ \u0001\u2028', version: 7 })
          const client = yield* insert(tenant, {
            hostPattern: SUFFIX,
            oauth: anOAuthClient({ scope: "read write", authMethod: "client_secret_post" }),
            createdBy: { type: "system", id: "admin", label: "the é admin" },
            updatedAt: LATER
          })
          for (const secret of [plain, client]) {
            assert.deepStrictEqual(yield* store.find(secret.workspaceId, secret.id), secret)
            assert.deepStrictEqual(yield* sealed(secret), { secret, sealed: sealedOf(secret) })
          }
        })
      )

      it.effect("lets five of twenty who add at once add, where five is what the workspace may have", () =>
        Effect.gen(function* () {
          const store = yield* ToolSecretStore
          const [tenant, other] = [yield* aTenant(), yield* aTenant()]
          yield* insert(other)
          const add = Effect.gen(function* () {
            if ((yield* store.hold(tenant.workspaceId, 5)) >= 5) return
            const secret = aToolSecret(tenant)
            yield* store.insert(secret, sealedOf(secret))
          })
          yield* Effect.forEach(Array.from({ length: 20 }), () => atomic(add), { concurrency: "unbounded" })
          assert.strictEqual(yield* atomic(store.hold(tenant.workspaceId, 100)), 5)
          assert.strictEqual(yield* atomic(store.hold(tenant.workspaceId, 3)), 3)
          assert.strictEqual(yield* atomic(store.hold(other.workspaceId, 100)), 1)
        })
      )

      it.effect("knows others of the workspace that have the name, or both the pattern and the header", () =>
        Effect.gen(function* () {
          const store = yield* ToolSecretStore
          const tenant = yield* aTenant()
          const secret = yield* insert(tenant, { name: "Orders", hostPattern: HOST, header: "x-a" })
          yield* insert(yield* aTenant(), { name: "Orders", hostPattern: HOST, header: "x-a" })
          const alike = (override: Partial<ToolSecret>) =>
            Effect.map(atomic(store.alike(aToolSecret({ ...tenant, ...override }))), (found) =>
              found.map(({ id }) => id)
            )
          assert.deepStrictEqual(yield* alike({ name: "Orders" }), [secret.id])
          assert.deepStrictEqual(yield* alike({ hostPattern: HOST, header: "x-a" }), [secret.id])
          assert.isEmpty(yield* alike({ hostPattern: HOST, header: "x-b" }))
          assert.isEmpty(yield* alike({ hostPattern: SUFFIX, header: "x-a" }))
          assert.isEmpty(yield* alike({ name: "orders" }))
          assert.isEmpty(yield* atomic(store.alike(secret)))
        })
      )

      it.effect("finds, changes and removes a secret for its workspace and for no other", () =>
        Effect.gen(function* () {
          const store = yield* ToolSecretStore
          const [mine, theirs] = [yield* aTenant(), yield* aTenant()]
          const sibling = yield* aTenant({ organizationId: mine.organizationId })
          const secret = yield* insert(mine)
          for (const { workspaceId } of [theirs, sibling, { workspaceId: anId(WorkspaceId) }]) {
            assert.isUndefined(yield* store.find(workspaceId, secret.id))
            assert.isEmpty(yield* store.withPatterns(workspaceId, [secret.hostPattern]))
            assert.isEmpty((yield* store.list(workspaceId, { limit: 50, before: undefined })).items)
            yield* atomic(store.update({ ...secret, workspaceId, name: "Stolen" }, "v1.k1.stolen"))
            assert.isUndefined(yield* atomic(store.remove(workspaceId, secret.id)))
          }
          assert.isUndefined(yield* store.find(mine.workspaceId, anId(ToolSecretId)))
          assert.deepStrictEqual(yield* sealed(secret), { secret, sealed: sealedOf(secret) })
          assert.deepStrictEqual(yield* atomic(store.remove(mine.workspaceId, secret.id)), secret)
          assert.isUndefined(yield* store.find(mine.workspaceId, secret.id))
          assert.isUndefined(yield* atomic(store.remove(mine.workspaceId, secret.id)))
        })
      )

      it.effect("lists the workspace's secrets newest first, page by page", () =>
        Effect.gen(function* () {
          const store = yield* ToolSecretStore
          const tenant = yield* aTenant()
          const ids: Array<string> = []
          for (let made = 0; made < 5; made++) ids.unshift((yield* insert(tenant)).id)
          const first = yield* store.list(tenant.workspaceId, { limit: 3, before: undefined })
          const rest = yield* store.list(tenant.workspaceId, { limit: 3, before: first.items.at(-1)?.id })
          assert.deepStrictEqual(
            [...first.items, ...rest.items].map(({ id }) => id),
            ids
          )
        })
      )

      it.effect("gives those that have one of the patterns, whatever their headers", () =>
        Effect.gen(function* () {
          const store = yield* ToolSecretStore
          const tenant = yield* aTenant()
          const one = yield* insert(tenant, { hostPattern: HOST, header: "x-a" })
          const two = yield* insert(tenant, { hostPattern: HOST, header: "x-b" })
          const three = yield* insert(tenant, { hostPattern: SUFFIX, header: "x-a" })
          yield* insert(tenant)
          const idsOf = (...patterns: ReadonlyArray<HostPattern>) =>
            Effect.map(store.withPatterns(tenant.workspaceId, patterns), (found) =>
              found.map(({ secret }) => secret.id)
            )
          assert.sameMembers(yield* idsOf(HOST, SUFFIX), [one.id, two.id, three.id])
          assert.sameMembers(yield* idsOf(HOST), [one.id, two.id])
          assert.isEmpty(yield* idsOf())
        })
      )

      it.effect(
        "writes name, client, version and time of a change, and no other member; a value only where there is one",
        () =>
          Effect.gen(function* () {
            const store = yield* ToolSecretStore
            const secret = yield* insert(yield* aTenant(), { oauth: anOAuthClient() })
            const change = {
              name: "Renamed",
              version: 2,
              updatedAt: LATER,
              oauth: anOAuthClient({ clientId: "another", scope: "read" })
            }
            const elsewhere = { header: "x-other", hostPattern: SUFFIX, createdAt: LATER }
            yield* atomic(store.update({ ...secret, ...change, ...elsewhere }, undefined))
            const after = { ...secret, ...change }
            assert.deepStrictEqual(yield* sealed(secret), { secret: after, sealed: sealedOf(secret) })
            yield* atomic(store.update(after, "v1.k1.another"))
            assert.deepStrictEqual(yield* sealed(secret), { secret: after, sealed: "v1.k1.another" })
          })
      )

      it.effect("keeps nothing of what is done in a transaction that fails", () =>
        Effect.gen(function* () {
          const store = yield* ToolSecretStore
          const tenant = yield* aTenant()
          const secret = yield* insert(tenant)
          const other = aToolSecret(tenant)
          const all = Effect.all([
            store.insert(other, "v1.k1.x"),
            store.update({ ...secret, name: "No" }, "v1.k1.no"),
            store.remove(secret.workspaceId, secret.id)
          ])
          yield* Effect.exit(atomic(Effect.andThen(all, Effect.fail("no"))))
          assert.isUndefined(yield* store.find(other.workspaceId, other.id))
          assert.deepStrictEqual(yield* sealed(secret), { secret, sealed: sealedOf(secret) })
        })
      )

      it.effect("walks the secrets of every tenant, in the order of their ids", () =>
        Effect.gen(function* () {
          const store = yield* ToolSecretStore
          const made = [
            yield* insert(yield* aTenant()),
            yield* insert(yield* aTenant()),
            yield* insert(yield* aTenant())
          ]
          const [first, second, third] = made.map((secret) => ({ secret, sealed: sealedOf(secret) }))
          assert.deepStrictEqual(yield* store.everySecret(first?.secret.id, 1), [second!])
          assert.deepInclude(yield* store.everySecret(second?.secret.id, ALL), third!)
          assert.notDeepInclude(yield* store.everySecret(second?.secret.id, ALL), second!)
        })
      )

      it.effect("puts a value in the place of the one that was read, and of no other", () =>
        Effect.gen(function* () {
          const store = yield* ToolSecretStore
          const secret = yield* insert(yield* aTenant())
          const value = { position: secret.id, place: toolSecretPlace(secret), sealed: sealedOf(secret) }
          assert.isFalse(yield* atomic(store.replaceSealed({ ...value, sealed: "v1.k0.old" }, "v1.k2.no")))
          assert.isTrue(yield* atomic(store.replaceSealed(value, "v1.k2.new")))
          assert.isFalse(yield* atomic(store.replaceSealed(value, "v1.k3.no")))
          assert.deepStrictEqual(yield* sealed(secret), { secret, sealed: "v1.k2.new" })
        })
      )
    })
  })
