import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { NO_TURNS, sharesOf, turnsAfter } from "../src/worker/shares.ts"
import { aStoredAgent, ended, memory, trigger } from "./support.ts"

interface Owner {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

/** Organizations with so many workspaces each. */
const tenants = (...workspaces: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<Owner>> =>
  workspaces.map((count) => {
    const organizationId = anId(OrganizationId)
    return Array.from({ length: count }, () => ({ organizationId, workspaceId: anId(WorkspaceId) }))
  })

/** Fills the slots as far as shares allow, in turns as claims do; answers how many each workspace came to. */
const filled = (max: number, organizations: ReadonlyArray<ReadonlyArray<Owner>>, held: Array<Owner> = []) => {
  const count = ({ workspaceId }: Owner) => held.filter((owner) => owner.workspaceId === workspaceId).length
  const next = (owners: ReadonlyArray<Owner>): Owner | undefined => {
    const { organizations, others, workspaces } = sharesOf(held, { max, free: max - held.length })
    const { perWorkspace, runs } = organizations.get(owners[0]!.organizationId) ?? others
    const open = owners.filter(({ workspaceId }) => runs > 0 && (workspaces.get(workspaceId) ?? perWorkspace) > 0)
    return open.sort((one, two) => count(one) - count(two))[0]
  }
  for (let before = -1; before < held.length; ) {
    before = held.length
    for (const owners of organizations) {
      const owner = held.length < max ? next(owners) : undefined
      if (owner !== undefined) held.push(owner)
    }
  }
  return organizations.map((owners) => owners.map(count))
}

const sum = (counts: ReadonlyArray<number>) => counts.reduce((total, count) => total + count, 0)

describe("the shares of a worker's slots", () => {
  it("leave one in ten to other organizations, and one in ten of an organization's to its other workspaces", () => {
    assert.deepStrictEqual(filled(100, tenants(1)), [[81]])
    for (const workspaces of [2, 3, 20, 200]) {
      const [counts = []] = filled(100, tenants(workspaces))
      assert.isAtLeast(sum(counts), 85)
      assert.isAtMost(sum(counts), 90)
    }
    const [one = [], other = []] = filled(100, tenants(1, 40))
    assert.isAtLeast(sum(one), 40)
    assert.isAtMost(sum(other), 52)
    const many = filled(100, tenants(1, 1, 1, 1, 1, 1, 1, 10)).map(sum)
    assert.isAtLeast(Math.min(...many), 10)
    assert.isBelow(sum(many), 100)
  })

  it("leave a slot to the next workspace of an organization, and to the next organization", () => {
    for (const max of [20, 50, 100]) {
      const [hogs = []] = tenants(3)
      const held: Array<Owner> = []
      filled(max, [hogs.slice(0, 1)], held)
      assert.isAtLeast(sum(filled(max, [hogs.slice(1, 2)], held).flat()), 1)
      filled(max, [hogs], held)
      assert.isAtLeast(sum(filled(max, tenants(1), held).flat()), 1)
    }
  })

  it("are all of them where there are fewer than ten", () => {
    for (const max of [1, 2, 9]) assert.deepStrictEqual(filled(max, tenants(1)), [[max]])
  })

  const long = { input: { steps: [{ sleep_ms: 3_600_000 }] } }

  it.live("let a run begin at once although another workspace has more long runs than there are slots", () =>
    Effect.gen(function* () {
      const hog = yield* aStoredAgent({}, aCaller())
      const guest = yield* aStoredAgent({}, aCaller({ organizationId: hog.caller.organizationId }))
      const hogs = yield* Effect.forEach(Array.from({ length: 60 }), () => trigger(hog, long))
      yield* startRunWorker({ concurrencyMax: 20, drainSeconds: 0 })
      const mine = yield* trigger(guest, { input: { steps: [{ return: 1 }] } })
      assert.deepInclude(yield* ended(guest.caller, mine.id), { status: "succeeded" })
      assert.strictEqual(hogs.length, 60)
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )

  it.live(
    "let a run begin at once although another organization has more long runs than slots, in many workspaces",
    () =>
      Effect.gen(function* () {
        const organizationId = anId(OrganizationId)
        const hogs = yield* Effect.forEach(Array.from({ length: 30 }), () =>
          aStoredAgent({}, aCaller({ organizationId }))
        )
        for (const hog of hogs) yield* Effect.forEach([1, 2], () => trigger(hog, long))
        yield* startRunWorker({ concurrencyMax: 20, drainSeconds: 0 })
        const guest = yield* aStoredAgent({}, aCaller())
        const mine = yield* trigger(guest, { input: { steps: [{ return: 1 }] } })
        assert.deepInclude(yield* ended(guest.caller, mine.id), { status: "succeeded" })
      }).pipe(Effect.scoped, Effect.provide(memory()))
  )
})

describe("the turns of a worker's claims", () => {
  it("go on where each round was left, and forget those that are over and the oldest beyond a thousand", () => {
    const [[one], [other]] = tenants(1, 1) as [[Owner], [Owner]]
    const claimed = (owner: Owner) => [{ run: owner as never }]
    const left = { organization: one.organizationId, workspaces: new Map([[one.organizationId, one.workspaceId]]) }
    const first = turnsAfter(NO_TURNS, claimed(one), left)
    assert.deepStrictEqual(first, left)
    assert.deepStrictEqual(turnsAfter(first, [], NO_TURNS), first)
    const second = turnsAfter(first, claimed(other), { organization: other.organizationId, workspaces: new Map() })
    assert.deepStrictEqual(second, { ...left, organization: other.organizationId })
    assert.strictEqual(turnsAfter(second, claimed(one), NO_TURNS).workspaces.size, 0)
    let many = second
    for (const [owner] of tenants(...Array.from({ length: 1_000 }, () => 1)) as ReadonlyArray<[Owner]>) {
      const workspaces = new Map([[owner.organizationId, owner.workspaceId]])
      many = turnsAfter(many, claimed(owner), { organization: owner.organizationId, workspaces })
    }
    assert.strictEqual(many.workspaces.size, 1_000)
    assert.isFalse(many.workspaces.has(one.organizationId))
  })
})
