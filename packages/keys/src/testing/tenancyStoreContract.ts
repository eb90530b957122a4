import { atomic, OrganizationId, type UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { TenancyStore } from "../ports/TenancyStore.ts"
import type { Organization, Workspace } from "../Workspace.ts"
import { anOrganization, aWorkspace } from "./builders.ts"

/** The contract of every store of organizations and workspaces. */
export const tenancyStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<TenancyStore | UnitOfWork, E>) =>
  describe(`tenancy store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const insert = (organization: Organization, ...workspaces: ReadonlyArray<Workspace>) =>
        TenancyStore.use((store) =>
          Effect.andThen(
            store.insertOrganization(organization),
            Effect.forEach(workspaces, store.insertWorkspace, { discard: true })
          )
        )
      const find = (organizationId: OrganizationId, workspaceId: WorkspaceId) =>
        TenancyStore.use((store) => store.findWorkspace(organizationId, workspaceId))

      it.effect("gives back a workspace exactly as it was inserted", () =>
        Effect.gen(function* () {
          const organization = anOrganization({ name: 'Größe 💡 "quoted"' })
          const workspace = aWorkspace({
            organizationId: organization.id,
            name: "שלום e\u0301 \\ \u2028",
            timezone: "America/Argentina/Buenos_Aires",
            createdAt: DateTime.makeUnsafe("2026-11-21T23:59:59.987Z")
          })
          yield* atomic(insert(organization, workspace))
          assert.deepStrictEqual(yield* find(organization.id, workspace.id), workspace)
        })
      )

      it.effect(
        "lets five of twenty who create workspaces at once create them, where five is what the organization may have",
        () =>
          Effect.gen(function* () {
            const store = yield* TenancyStore
            const [mine, other] = [anOrganization(), anOrganization()]
            yield* atomic(Effect.andThen(insert(mine), insert(other, aWorkspace({ organizationId: other.id }))))
            const create = Effect.gen(function* () {
              if ((yield* store.holdWorkspaces(mine.id, 5)) >= 5) return
              yield* store.insertWorkspace(aWorkspace({ organizationId: mine.id }))
            })
            yield* Effect.forEach(Array.from({ length: 20 }), () => atomic(create), { concurrency: "unbounded" })
            assert.strictEqual(yield* atomic(store.holdWorkspaces(mine.id, 100)), 5)
            assert.strictEqual(yield* atomic(store.holdWorkspaces(mine.id, 3)), 3)
            assert.strictEqual(yield* atomic(store.holdWorkspaces(other.id, 100)), 1)
          })
      )

      it.effect("renames one organization, and answers nothing for an unknown one", () =>
        Effect.gen(function* () {
          const store = yield* TenancyStore
          const [mine, other] = [anOrganization(), anOrganization()]
          yield* atomic(Effect.andThen(insert(mine), insert(other)))
          assert.deepStrictEqual(yield* atomic(store.renameOrganization(mine.id, "Größe")), { ...mine, name: "Größe" })
          assert.deepStrictEqual(yield* store.findOrganization(mine.id), { ...mine, name: "Größe" })
          assert.deepStrictEqual(yield* store.findOrganization(other.id), other)
          assert.isUndefined(yield* atomic(store.renameOrganization(anId(OrganizationId), "Nobody")))
        })
      )

      it.effect("knows the time zones of the IANA database in whatever case, and no other", () =>
        Effect.gen(function* () {
          const store = yield* TenancyStore
          for (const zone of ["UTC", "Europe/Berlin", "Asia/Kolkata", "america/new_york", "Asia/Kolkata"]) {
            assert.isTrue(yield* store.knowsTimezone(zone), zone)
          }
          for (const zone of ["Europe/Atlantis", "+05:30", "Foo3", "", "UTC; drop table workspace"]) {
            assert.isFalse(yield* store.knowsTimezone(zone), zone)
          }
        })
      )

      it.effect("keeps the workspaces of organizations apart", () =>
        Effect.gen(function* () {
          const organization = anOrganization()
          const workspaces = ["one", "two"].map((name) => aWorkspace({ organizationId: organization.id, name }))
          yield* atomic(insert(organization, ...workspaces))
          for (const workspace of workspaces) {
            assert.deepStrictEqual(yield* find(organization.id, workspace.id), workspace)
          }
        })
      )

      it.effect("finds no workspace of another organization, and no unknown one", () =>
        Effect.gen(function* () {
          const [mine, other] = [anOrganization(), anOrganization()]
          const workspace = aWorkspace({ organizationId: mine.id })
          yield* atomic(Effect.andThen(insert(mine, workspace), insert(other)))
          assert.isUndefined(yield* find(other.id, workspace.id))
          assert.isUndefined(yield* find(anId(OrganizationId), workspace.id))
          assert.isUndefined(yield* find(mine.id, anId(WorkspaceId)))
        })
      )

      it.effect("finds an organization by its id, and those of a name, oldest first", () =>
        Effect.gen(function* () {
          const name = `Acme ${anId(OrganizationId)}`
          const [older, younger] = [anOrganization({ name }), anOrganization({ name })]
          yield* atomic(Effect.andThen(insert(younger), insert(older)))
          const named = (text: string, max: number) => TenancyStore.use((store) => store.organizationsNamed(text, max))
          assert.deepStrictEqual(yield* named(name, 1), [older])
          assert.deepStrictEqual(yield* named(name, 3), [older, younger])
          assert.deepStrictEqual(yield* named(`${name}!`, 3), [])
          const byId = (id: OrganizationId) => TenancyStore.use((store) => store.findOrganization(id))
          assert.deepStrictEqual(yield* byId(younger.id), younger)
          assert.isUndefined(yield* byId(anId(OrganizationId)))
        })
      )

      it.effect("finds those of an organization's workspaces that have a name, oldest first", () =>
        Effect.gen(function* () {
          const [mine, other] = [anOrganization(), anOrganization()]
          const ofMine = (name: string) => aWorkspace({ organizationId: mine.id, name })
          const [older, younger, unlike] = [ofMine("Main"), ofMine("Main"), ofMine("main")]
          const theirs = aWorkspace({ organizationId: other.id, name: "Main" })
          yield* atomic(Effect.andThen(insert(mine, younger, older, unlike), insert(other, theirs)))
          const named = (text: string, max: number) =>
            TenancyStore.use((store) => store.workspacesNamed(mine.id, text, max))
          assert.deepStrictEqual(yield* named("Main", 3), [older, younger])
          assert.deepStrictEqual(yield* named("Main", 1), [older])
          assert.deepStrictEqual(yield* named("Nowhere", 3), [])
        })
      )

      it.effect("lists the workspaces of one organization, newest first, page by page", () =>
        Effect.gen(function* () {
          const [mine, other] = [anOrganization(), anOrganization()]
          const workspaces = Array.from({ length: 3 }, () => aWorkspace({ organizationId: mine.id }))
          yield* atomic(
            Effect.andThen(insert(mine, ...workspaces), insert(other, aWorkspace({ organizationId: other.id })))
          )
          const list = (before: string | undefined) =>
            TenancyStore.use((store) => store.listWorkspaces(mine.id, { limit: 2, before }))
          const first = yield* list(undefined)
          const rest = yield* list(first.next)
          assert.deepStrictEqual([...first.items, ...rest.items], workspaces.toReversed())
          assert.isUndefined(rest.next)
        })
      )

      it.effect("lists those of some ids alone, and none of another organization's among them", () =>
        Effect.gen(function* () {
          const [mine, other] = [anOrganization(), anOrganization()]
          const [one, two, three] = [1, 2, 3].map(() => aWorkspace({ organizationId: mine.id }))
          const foreign = aWorkspace({ organizationId: other.id })
          if (one === undefined || two === undefined || three === undefined) return assert.fail()
          yield* atomic(Effect.andThen(insert(mine, one, two, three), insert(other, foreign)))
          const list = (limit: number, before?: string) =>
            TenancyStore.use((store) =>
              store.listWorkspaces(mine.id, { limit, before }, [one.id, three.id, foreign.id])
            )
          assert.deepStrictEqual((yield* list(50)).items, [three, one])
          const first = yield* list(1)
          assert.deepStrictEqual(first.items, [three])
          assert.deepStrictEqual((yield* list(1, first.next)).items, [one])
          const none = yield* TenancyStore.use((store) =>
            store.listWorkspaces(mine.id, { limit: 1, before: undefined }, [])
          )
          assert.deepStrictEqual(none, { items: [], next: undefined })
        })
      )

      it.effect("changes all of a workspace but its ids and the time of its creation", () =>
        Effect.gen(function* () {
          const store = yield* TenancyStore
          const organization = anOrganization()
          const [workspace, other] = [1, 2].map(() => aWorkspace({ organizationId: organization.id })) as [
            Workspace,
            Workspace
          ]
          yield* atomic(insert(organization, workspace, other))
          const changed: Workspace = {
            ...workspace,
            name: "é",
            timezone: "Asia/Kolkata",
            nextTimezone: { timezone: "Europe/Berlin", from: DateTime.makeUnsafe("2026-11-30T23:00:00.000Z") },
            monthlyCapUsd: "999999999999.000000000001",
            allowPlatformKeys: true
          }
          yield* atomic(store.updateWorkspace({ ...changed, createdAt: DateTime.makeUnsafe("2030-01-01T00:00:00Z") }))
          assert.deepStrictEqual(yield* find(organization.id, workspace.id), changed)
          assert.deepStrictEqual(yield* find(organization.id, other.id), other)
          yield* atomic(store.updateWorkspace(workspace))
          assert.deepStrictEqual(yield* find(organization.id, workspace.id), workspace)
        })
      )

      it.effect("changes no workspace of another organization, and none in a transaction that fails", () =>
        Effect.gen(function* () {
          const store = yield* TenancyStore
          const [mine, foreign] = [anOrganization(), anOrganization()]
          const workspace = aWorkspace({ organizationId: mine.id })
          yield* atomic(Effect.andThen(insert(mine, workspace), insert(foreign)))
          yield* atomic(store.updateWorkspace({ ...workspace, organizationId: foreign.id, name: "Theirs" }))
          const renaming = store.updateWorkspace({ ...workspace, name: "Lost" })
          yield* Effect.exit(atomic(Effect.andThen(renaming, Effect.fail("refused"))))
          assert.deepStrictEqual(yield* find(mine.id, workspace.id), workspace)
        })
      )

      // Reading and writing are two steps. Without the hold one change could undo another.
      it.effect("holds a workspace for one transaction at a time, in its organization alone", () =>
        Effect.gen(function* () {
          const store = yield* TenancyStore
          const [mine, foreign] = [anOrganization(), anOrganization()]
          const workspace = aWorkspace({ organizationId: mine.id, name: "" })
          yield* atomic(Effect.andThen(insert(mine, workspace), insert(foreign)))
          const appendLetter = Effect.gen(function* () {
            const held = yield* store.holdWorkspace(mine.id, workspace.id)
            yield* Effect.yieldNow
            if (held !== undefined) yield* store.updateWorkspace({ ...held, name: `${held.name}a` })
          })
          yield* Effect.forEach(Array.from({ length: 12 }), () => atomic(appendLetter), { concurrency: "unbounded" })
          assert.strictEqual((yield* find(mine.id, workspace.id))?.name, "a".repeat(12))
          assert.isUndefined(yield* atomic(store.holdWorkspace(foreign.id, workspace.id)))
          assert.isUndefined(yield* atomic(store.holdWorkspace(mine.id, anId(WorkspaceId))))
        })
      )

      it.effect("knows which of several workspaces are an organization's", () =>
        Effect.gen(function* () {
          const store = yield* TenancyStore
          const [mine, foreign] = [anOrganization(), anOrganization()]
          const own = [1, 2, 3].map(() => aWorkspace({ organizationId: mine.id }))
          const theirs = aWorkspace({ organizationId: foreign.id })
          yield* atomic(Effect.andThen(insert(mine, ...own), insert(foreign, theirs)))
          const asked = [own[0]!.id, own[2]!.id, theirs.id, anId(WorkspaceId)]
          assert.deepStrictEqual(
            [...(yield* store.knownWorkspaces(mine.id, asked))].sort(),
            [own[0]!.id, own[2]!.id].sort()
          )
          assert.strictEqual((yield* store.knownWorkspaces(mine.id, [])).size, 0)
        })
      )

      it.effect("lists organizations, newest first, page by page", () =>
        Effect.gen(function* () {
          const store = yield* TenancyStore
          const organizations = Array.from({ length: 3 }, () => anOrganization())
          yield* atomic(Effect.forEach(organizations, (organization) => insert(organization), { discard: true }))
          const before = anId(OrganizationId)
          const first = yield* store.listOrganizations({ limit: 2, before })
          const rest = yield* store.listOrganizations({ limit: 1, before: first.next })
          assert.deepStrictEqual([...first.items, ...rest.items], organizations.toReversed())
        })
      )

      it.effect("keeps nothing of an organization whose founding fails", () =>
        Effect.gen(function* () {
          const organization = anOrganization()
          const workspace = aWorkspace({ organizationId: organization.id })
          yield* Effect.exit(atomic(Effect.andThen(insert(organization, workspace), Effect.fail("refused"))))
          assert.isUndefined(yield* find(organization.id, workspace.id))
        })
      )
    })
  })
