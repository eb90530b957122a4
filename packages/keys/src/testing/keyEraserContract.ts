import { atomic, ERASED_PERSON, OrganizationId, type UnitOfWork } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { KeyEraser } from "../ports/KeyEraser.ts"
import { MemberStore } from "../ports/MemberStore.ts"
import { ProviderKeyStore } from "../ports/ProviderKeyStore.ts"
import { ERASED_AS_ONE, TenancyStore } from "../ports/TenancyStore.ts"
import { aHash, aMember, anApiKey, anOrganization, aUser, aWorkspace } from "./builders.ts"
import { aProviderKey } from "./providerKeyBuilders.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** The stores of the suite. */
export type KeyEraserContractPorts =
  | UnitOfWork
  | ApiKeyStore
  | KeyEraser
  | MemberStore
  | ProviderKeyStore
  | TenancyStore

/** The contract of every eraser of keys, people and tenants. */
export const keyEraserContract = <E>(adapter: string, adapterLayer: Layer.Layer<KeyEraserContractPorts, E>) =>
  describe(`eraser of keys and tenants over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const founded = Effect.gen(function* () {
        const tenancy = yield* TenancyStore
        const organization = anOrganization()
        const workspace = aWorkspace({ organizationId: organization.id, monthlyCapUsd: "5.00" })
        yield* atomic(Effect.andThen(tenancy.insertOrganization(organization), tenancy.insertWorkspace(workspace)))
        return { organization, workspace, organizationId: organization.id, workspaceId: workspace.id }
      })
      type Tenant = Effect.Success<typeof founded>
      const keyOf = ({ organizationId, workspaceId }: Tenant, kind: "workspace" | "organization", override = {}) =>
        Effect.gen(function* () {
          const hash = aHash()
          const owner = { organizationId, workspaceId: kind === "workspace" ? workspaceId : null }
          const key = anApiKey({ ...owner, kind, ...override })
          yield* atomic(ApiKeyStore.use((keys) => keys.insert(key, hash)))
          return { key, hash }
        })
      const known = (hash: string) => ApiKeyStore.use((keys) => keys.findByHash(hash, undefined))
      const joined = ({ organizationId }: Tenant, user = aUser()) =>
        Effect.gen(function* () {
          const members = yield* MemberStore
          const member = aMember({ organizationId, email: user.email, organizationRole: "owner" })
          const kept = yield* atomic(
            Effect.gen(function* () {
              const one = yield* members.putUser(user)
              yield* members.put(member)
              yield* members.takeUp(user.email, one, NOW)
              return one
            })
          )
          return { user: kept, member }
        })
      const erase = (what: Parameters<KeyEraser["Service"]["erase"]>[0]) =>
        KeyEraser.use((eraser) => atomic(eraser.erase(what, 100)))

      it.effect("closes a workspace: it and its keys are unknown, its organization's are not", () =>
        Effect.gen(function* () {
          const tenant = yield* founded
          const { organizationId, workspaceId } = tenant
          const [own, above] = [yield* keyOf(tenant, "workspace"), yield* keyOf(tenant, "organization")]
          yield* KeyEraser.use((eraser) => atomic(eraser.closeWorkspace(organizationId, workspaceId, NOW)))
          assert.isUndefined(yield* known(own.hash))
          assert.isDefined(yield* known(above.hash))
          const inside = yield* ApiKeyStore.use((keys) => keys.findByHash(above.hash, workspaceId))
          assert.isFalse(inside?.workspaceFound)
          const tenancy = yield* TenancyStore
          assert.isUndefined(yield* tenancy.findWorkspace(organizationId, workspaceId))
          assert.strictEqual((yield* tenancy.findKeptWorkspace(organizationId, workspaceId))?.monthlyCapUsd, "5.00")
          const page = { limit: 10, before: undefined }
          assert.isEmpty((yield* tenancy.listWorkspaces(organizationId, page)).items)
          const listed = (yield* tenancy.listKeptWorkspaces(organizationId, NOW, page)).items
          assert.deepStrictEqual(
            listed.map(({ id }) => id),
            [workspaceId]
          )
          const kept = yield* KeyEraser.use((eraser) => eraser.findWorkspace(organizationId, workspaceId))
          assert.deepStrictEqual(kept, { closedAt: NOW, erasedAt: null })
        })
      )

      it.effect("closes an organization with its workspaces and keys, and no other", () =>
        Effect.gen(function* () {
          const [tenant, other] = [yield* founded, yield* founded]
          const [own, above] = [yield* keyOf(tenant, "workspace"), yield* keyOf(tenant, "organization")]
          const foreign = yield* keyOf(other, "organization")
          yield* KeyEraser.use((eraser) => atomic(eraser.closeOrganization(tenant.organizationId, NOW)))
          assert.isUndefined(yield* known(own.hash))
          assert.isUndefined(yield* known(above.hash))
          assert.isDefined(yield* known(foreign.hash))
          const tenancy = yield* TenancyStore
          assert.isUndefined(yield* tenancy.findOrganization(tenant.organizationId))
          assert.isUndefined(yield* tenancy.findWorkspace(tenant.organizationId, tenant.workspaceId))
        })
      )

      it.effect(
        "erases the keys of a workspace, those that replaced each other included, and leaves its row unnamed",
        () =>
          Effect.gen(function* () {
            const tenant = yield* founded
            const { organizationId, workspaceId } = tenant
            const successor = yield* keyOf(tenant, "workspace")
            yield* keyOf(tenant, "workspace", { replacedBy: successor.key.id })
            const above = yield* keyOf(tenant, "organization")
            const what = { _tag: "Tenant", organizationId, workspaceId } as const
            while (!(yield* erase(what)).isOver);
            assert.isUndefined(yield* known(successor.hash))
            assert.isDefined(yield* known(above.hash))
            const eraser = yield* KeyEraser
            assert.strictEqual(yield* eraser.nextWorkspace(organizationId), workspaceId)
            yield* atomic(eraser.eraseWorkspace(organizationId, workspaceId, NOW))
            assert.isUndefined(yield* eraser.nextWorkspace(organizationId))
            const left = yield* TenancyStore.use((tenancy) => tenancy.findKeptWorkspace(organizationId, workspaceId))
            assert.deepInclude(left, { name: "", monthlyCapUsd: null })
            const keptSince = (since: DateTime.Utc) =>
              TenancyStore.use((tenancy) =>
                Effect.map(
                  tenancy.listKeptWorkspaces(organizationId, since, { limit: 10, before: undefined }),
                  ({ items }) => items.map(({ id }) => id)
                )
              )
            assert.deepStrictEqual(yield* keptSince(NOW), [workspaceId])
            assert.isEmpty(yield* keptSince(DateTime.add(NOW, { seconds: 1 })))
            yield* atomic(eraser.removeWorkspace(organizationId, workspaceId))
            assert.isEmpty(yield* keptSince(NOW))
            assert.isUndefined(yield* eraser.findWorkspace(organizationId, workspaceId))
          })
      )

      it.effect("has ten erased workspaces take the place of one", () =>
        Effect.gen(function* () {
          const { organizationId, workspaceId } = yield* founded
          const [tenancy, eraser] = [yield* TenancyStore, yield* KeyEraser]
          const erased = Effect.gen(function* () {
            const workspace = aWorkspace({ organizationId })
            yield* tenancy.insertWorkspace(workspace)
            yield* eraser.closeWorkspace(organizationId, workspace.id, NOW)
            yield* eraser.eraseWorkspace(organizationId, workspace.id, NOW)
          })
          const places = (max: number) => atomic(tenancy.holdWorkspaces(organizationId, max))
          yield* atomic(Effect.repeat(erased, { times: ERASED_AS_ONE - 2 }))
          assert.strictEqual(yield* places(100), 1)
          yield* atomic(erased)
          assert.deepStrictEqual([yield* places(100), yield* places(2), yield* places(1)], [2, 2, 1])
          yield* atomic(eraser.closeWorkspace(organizationId, workspaceId, NOW))
          assert.strictEqual(yield* places(100), 1)
        })
      )

      it.effect("erases the members of an organization, and those identities that are a member of nothing else", () =>
        Effect.gen(function* () {
          const [tenant, other] = [yield* founded, yield* founded]
          const alone = yield* joined(tenant)
          const both = yield* joined(tenant)
          yield* joined(other, both.user)
          const { organizationId } = tenant
          while (!(yield* erase({ _tag: "Tenant", organizationId, workspaceId: null })).isOver);
          const members = yield* MemberStore
          assert.isUndefined(yield* members.findUser(alone.user.issuer, alone.user.subject))
          assert.isDefined(yield* members.findUser(both.user.issuer, both.user.subject))
          assert.isEmpty((yield* members.list(organizationId, { limit: 10, before: undefined })).items)
          assert.lengthOf(yield* members.membershipsOf(both.user.id), 1)
        })
      )

      it.effect("erases a person in every organization, and their name from the keys that they made", () =>
        Effect.gen(function* () {
          const [tenant, other] = [yield* founded, yield* founded]
          const { user } = yield* joined(tenant)
          yield* joined(other, user)
          const made = { createdBy: { type: "user", id: user.id, label: user.name } as const }
          const { key } = yield* keyOf(tenant, "organization", made)
          const { organizationId, workspaceId } = tenant
          const providerKey = aProviderKey({ organizationId, workspaceId, createdBy: made.createdBy })
          yield* atomic(ProviderKeyStore.use((keys) => keys.insert(providerKey, "sealed")))
          const eraser = yield* KeyEraser
          const person = yield* atomic(eraser.holdPerson(tenant.organizationId, user.id))
          assert.deepInclude(person, { userId: user.id, emails: [user.email] })
          assert.lengthOf(person!.memberIds, 2)
          assert.strictEqual((yield* eraser.count(person!, 100))["made_keys"], 2)
          while (!(yield* erase(person!)).isOver);
          const members = yield* MemberStore
          assert.isUndefined(yield* members.findUser(user.issuer, user.subject))
          assert.isEmpty(yield* members.membershipsOf(user.id))
          assert.isUndefined(yield* atomic(eraser.holdPerson(tenant.organizationId, user.id)))
          const owner = { organizationId: tenant.organizationId, workspaceId: null }
          const kept = yield* ApiKeyStore.use((keys) => keys.find(owner, key.id))
          assert.strictEqual(kept?.createdBy.label, ERASED_PERSON)
        })
      )

      it.effect("finds somebody who was only invited by the member's id, in that organization alone", () =>
        Effect.gen(function* () {
          const tenant = yield* founded
          const member = aMember({ organizationId: tenant.organizationId })
          yield* atomic(MemberStore.use((members) => members.put(member)))
          const find = (organizationId: OrganizationId) =>
            KeyEraser.use((eraser) => atomic(eraser.holdPerson(organizationId, member.id)))
          assert.isUndefined(yield* find(anId(OrganizationId)))
          assert.deepStrictEqual(yield* find(tenant.organizationId), {
            _tag: "Person",
            userId: null,
            memberIds: [member.id],
            emails: [member.email]
          })
        })
      )
    })
  })
