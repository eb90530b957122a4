import { WorkspaceId } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { type CreateWorkspace, Tenancy, TenancyStore } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { activityOf, founded, makeSpend, memory, personOf } from "./tenancySupport.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")

const aCreation = (caller: CreateWorkspace["caller"], override: Partial<CreateWorkspace> = {}): CreateWorkspace => ({
  caller,
  by: personOf(caller, "admin"),
  name: "Customer",
  timezone: "UTC",
  monthlyCapUsd: null,
  allowPlatformKeys: false,
  idempotency: undefined,
  ...override
})

describe("creating a workspace", () => {
  it.effect("stores it, in the organization of the caller alone, and reports it in its feed", () =>
    Effect.gen(function* () {
      const store = yield* TenancyStore
      const tenancy = yield* Tenancy
      const { caller } = yield* founded
      const { value } = yield* tenancy.createWorkspace(
        aCreation(caller, { timezone: "Asia/Kolkata", monthlyCapUsd: "12.50", allowPlatformKeys: true })
      )
      assert.deepInclude(value, { name: "Customer", timezone: "Asia/Kolkata", monthlyCapUsd: "12.50" })
      assert.deepStrictEqual(yield* store.findWorkspace(caller.organizationId, value.id), value)
      assert.isUndefined(yield* store.findWorkspace(aCaller().organizationId, value.id))
      const entry = (yield* activityOf(caller.organizationId)).at(-1)
      assert.deepInclude(entry, { action: "workspace.created", workspaceId: value.id, actor: caller.actor })
    }).pipe(Effect.provide(memory()))
  )

  it.effect("answers a repeated request with the workspace as it is by now", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller } = yield* founded
      const idempotency = { scope: caller.organizationId, route: "POST", key: "k", bodyHash: "a".repeat(64) }
      const first = yield* tenancy.createWorkspace(aCreation(caller, { idempotency }))
      const renamed = yield* tenancy.updateWorkspace({
        caller,
        by: personOf(caller, "admin"),
        workspaceId: first.value.id,
        name: "Renamed"
      })
      const again = yield* tenancy.createWorkspace(aCreation(caller, { idempotency }))
      assert.deepStrictEqual(again, { value: renamed, replayed: true })
      const page = yield* tenancy.listWorkspaces({ caller, page: { limit: 50, before: undefined } })
      assert.strictEqual(page.items.length, 2)
    }).pipe(Effect.provide(memory()))
  )

  it.effect("refuses a time zone that does not exist, and records nothing", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller } = yield* founded
      const before = yield* activityOf(caller.organizationId)
      const refused = yield* Effect.flip(tenancy.createWorkspace(aCreation(caller, { timezone: "+01:00" })))
      assert.strictEqual(refused._tag, "TimezoneUnknown")
      assert.deepStrictEqual(yield* activityOf(caller.organizationId), before)
    }).pipe(Effect.provide(memory()))
  )
})

describe("changing a workspace", () => {
  it.effect("changes what is named and leaves the rest", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller, workspace } = yield* founded
      const change = { caller, by: personOf(caller, "admin"), workspaceId: workspace.id }
      const named = yield* tenancy.updateWorkspace({ ...change, name: "Renamed" })
      assert.deepStrictEqual(named, { ...workspace, name: "Renamed" })
      const capped = yield* tenancy.updateWorkspace({ ...change, monthlyCapUsd: "5.00", allowPlatformKeys: true })
      assert.deepStrictEqual(capped, { ...named, monthlyCapUsd: "5.00", allowPlatformKeys: true })
      const free = yield* tenancy.updateWorkspace({ ...change, monthlyCapUsd: null })
      assert.deepStrictEqual(free, { ...capped, monthlyCapUsd: null })
    }).pipe(Effect.provide(memory()))
  )

  it.effect("lets another time zone hold from the next month on", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const tenancy = yield* Tenancy
      const { caller, workspace } = yield* founded
      const changed = yield* tenancy.updateWorkspace({
        caller,
        by: personOf(caller, "admin"),
        workspaceId: workspace.id,
        timezone: "Asia/Kolkata"
      })
      assert.strictEqual(changed.timezone, "Europe/Berlin")
      const from = DateTime.makeUnsafe("2026-11-30T18:30:00Z")
      assert.deepStrictEqual(changed.nextTimezone, { timezone: "Asia/Kolkata", from })
    }).pipe(Effect.provide(memory()))
  )

  it.effect("reports a cap apart from everything else, and nothing where nothing changes", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller, workspace } = yield* founded
      const { length } = yield* activityOf(caller.organizationId)
      const change = {
        caller,
        by: personOf(caller, "admin"),
        workspaceId: workspace.id,
        name: "Renamed",
        monthlyCapUsd: "5"
      }
      yield* tenancy.updateWorkspace(change)
      yield* tenancy.updateWorkspace({ ...change, monthlyCapUsd: "5.00", timezone: "Europe/Berlin" })
      yield* tenancy.updateWorkspace({ caller, by: personOf(caller, "admin"), workspaceId: workspace.id })
      const entries = (yield* activityOf(caller.organizationId)).slice(length)
      assert.deepStrictEqual(
        entries.map((entry) => [entry.action, entry.workspaceId, entry.payload]),
        [
          ["workspace.updated", workspace.id, { name: "Renamed" }],
          ["workspace.cap_changed", workspace.id, { from: null, to: "5" }]
        ]
      )
    }).pipe(Effect.provide(memory()))
  )

  it.effect("finds no workspace of another organization, whatever the change", () =>
    Effect.gen(function* () {
      const store = yield* TenancyStore
      const tenancy = yield* Tenancy
      const [mine, foreign] = [yield* founded, yield* founded]
      for (const workspaceId of [foreign.workspace.id, anId(WorkspaceId)]) {
        const change = {
          caller: mine.caller,
          by: personOf(mine.caller, "admin"),
          workspaceId,
          name: "Theirs",
          timezone: "Europe/Atlantis"
        }
        assert.strictEqual((yield* Effect.flip(tenancy.updateWorkspace(change)))._tag, "WorkspaceNotFound")
      }
      const untouched = yield* store.findWorkspace(foreign.caller.organizationId, foreign.workspace.id)
      assert.deepStrictEqual(untouched, foreign.workspace)
    }).pipe(Effect.provide(memory()))
  )
})

describe("reading a workspace", () => {
  it.effect("answers what it has spent in its own month, and how that stands to its cap", () => {
    const spending = { spentUsd: "4.00", reservedUsd: "0.00", status: "near" } as const
    const spend = makeSpend(spending)
    return Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const tenancy = yield* Tenancy
      const { caller, workspace } = yield* founded
      const capped = yield* tenancy.updateWorkspace({
        caller,
        by: personOf(caller, "admin"),
        workspaceId: workspace.id,
        monthlyCapUsd: "5.00"
      })
      const period = {
        start: DateTime.makeUnsafe("2026-10-31T23:00:00Z"),
        end: DateTime.makeUnsafe("2026-11-30T23:00:00Z")
      }
      assert.deepStrictEqual(yield* tenancy.readWorkspace({ caller }), {
        workspace: capped,
        period,
        ...spending
      })
      assert.deepStrictEqual(spend.asked, [[period, "5.00"]])
    }).pipe(Effect.provide(memory(spend.layer)))
  })

  it.effect("finds no workspace of another organization", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const [mine, foreign] = [yield* founded, yield* founded]
      const caller = { ...mine.caller, workspaceId: foreign.workspace.id }
      assert.strictEqual((yield* Effect.flip(tenancy.readWorkspace({ caller })))._tag, "WorkspaceNotFound")
    }).pipe(Effect.provide(memory()))
  )
})
