import { OrganizationId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { MemberStore, Tenancy, TenancyStore } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { activityOf, founded, memory } from "./tenancySupport.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")

const NAMES = { name: "Acme", workspaceName: "Production", timezone: "Europe/Berlin" }

describe("founding an organization", () => {
  it.effect("makes it together with its first workspace", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const store = yield* TenancyStore
      const { organization, workspace } = yield* founded
      assert.deepInclude(organization, { name: "Acme" })
      assert.deepInclude(workspace, { name: "Production", timezone: "Europe/Berlin", organizationId: organization.id })
      assert.deepStrictEqual([organization.createdAt, workspace.createdAt], [NOW, NOW])
      assert.deepStrictEqual(yield* store.findWorkspace(organization.id, workspace.id), workspace)
    }).pipe(Effect.provide(memory()))
  )

  it.effect("leaves the workspace invisible to every other organization", () =>
    Effect.gen(function* () {
      const store = yield* TenancyStore
      const { workspace } = yield* founded
      const other = yield* founded
      for (const organizationId of [other.organization.id, anId(OrganizationId)]) {
        assert.isUndefined(yield* store.findWorkspace(organizationId, workspace.id))
      }
    }).pipe(Effect.provide(memory()))
  )

  it.effect("invites its first owner, in the name of the operator", () =>
    Effect.gen(function* () {
      const members = yield* MemberStore
      const tenancy = yield* Tenancy
      const { organization, owner } = yield* tenancy.foundOrganization({ ...NAMES, ownerEmail: " Ada@Example.com" })
      assert.deepInclude(owner, {
        email: "ada@example.com",
        organizationRole: "owner",
        user: null,
        invitedBy: { type: "system", id: "admin", label: "admin" }
      })
      assert.deepStrictEqual(yield* members.findByEmail(organization.id, "ada@example.com"), owner ?? undefined)
    }).pipe(Effect.provide(memory()))
  )

  it.effect("records organization, workspace and owner in the feed", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { organization, workspace } = yield* tenancy.foundOrganization({ ...NAMES, ownerEmail: "ada@example.com" })
      const entries = yield* activityOf(organization.id)
      assert.deepStrictEqual(
        entries.map((entry) => [entry.action, entry.workspaceId, entry.actor.type]),
        [
          ["organization.created", null, "system"],
          ["workspace.created", workspace.id, "system"],
          ["member.invited", null, "system"]
        ]
      )
    }).pipe(Effect.provide(memory()))
  )

  it.effect("refuses a time zone that does not exist, and an owner without an address, and makes nothing", () =>
    Effect.gen(function* () {
      const store = yield* TenancyStore
      const tenancy = yield* Tenancy
      const nowhere = yield* Effect.flip(tenancy.foundOrganization({ ...NAMES, timezone: "Europe/Atlantis" }))
      assert.deepInclude(nowhere, { _tag: "TimezoneUnknown", timezone: "Europe/Atlantis" })
      const nobody = yield* Effect.flip(tenancy.foundOrganization({ ...NAMES, ownerEmail: "ada" }))
      assert.deepInclude(nobody, { _tag: "InvitationInvalid", field: "email" })
      assert.isEmpty((yield* store.listOrganizations({ limit: 50, before: undefined })).items)
    }).pipe(Effect.provide(memory()))
  )
})
