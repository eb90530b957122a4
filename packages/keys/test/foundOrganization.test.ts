import { OrganizationId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { Keys, TenancyStore } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { founded, memory } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")

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
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves the workspace invisible to every other organization", () =>
    Effect.gen(function* () {
      const store = yield* TenancyStore
      const { workspace } = yield* founded
      const other = yield* founded
      for (const organizationId of [other.organization.id, anId(OrganizationId)]) {
        assert.isUndefined(yield* store.findWorkspace(organizationId, workspace.id))
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses a time zone that does not exist", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const names = { name: "Acme", workspaceName: "Production", timezone: "Europe/Atlantis" }
      const refused = yield* Effect.flip(keys.foundOrganization(names))
      assert.deepInclude(refused, { _tag: "TimezoneUnknown", timezone: "Europe/Atlantis" })
    }).pipe(Effect.provide(memory))
  )
})
