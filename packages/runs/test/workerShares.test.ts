import { WorkspaceId } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sharesOf } from "../src/workerShares.ts"
import { aStoredAgent, ended, memory, trigger } from "./support.ts"

/** Fills the slots as far as shares allow, workspace by workspace; answers how many each came to. */
const filled = (max: number, workspaces: number): ReadonlyArray<number> => {
  const ids = Array.from({ length: workspaces }, () => anId(WorkspaceId))
  const held = new Map<WorkspaceId, number>()
  for (let changed = true; changed; ) {
    changed = false
    for (const id of ids) {
      const free = max - [...held.values()].reduce((sum, count) => sum + count, 0)
      const { perWorkspace, rooms } = sharesOf(held, { max, free })
      if (free <= 0 || (rooms.get(id) ?? perWorkspace) <= 0) continue
      held.set(id, (held.get(id) ?? 0) + 1)
      changed = true
    }
  }
  return ids.map((id) => held.get(id) ?? 0)
}

describe("the shares of a worker's slots", () => {
  it("leave one in ten to newcomers, and nearly all of the others to whoever is there", () => {
    assert.deepStrictEqual(filled(100, 1), [90])
    assert.deepStrictEqual(filled(100, 2), [48, 47])
    const many = filled(100, 8)
    assert.isAtLeast(Math.min(...many), 11)
    assert.isBelow(
      many.reduce((sum, count) => sum + count, 0),
      100
    )
  })

  it("are all of them where there are fewer than ten", () => {
    for (const max of [1, 2, 9]) assert.deepStrictEqual(filled(max, 1), [max])
  })

  it.live("let a run begin at once although another workspace has more long runs than there are slots", () =>
    Effect.gen(function* () {
      const [hog, guest] = [yield* aStoredAgent({}, aCaller()), yield* aStoredAgent({}, aCaller())]
      const long = { input: { steps: [{ sleep_ms: 3_600_000 }] } }
      const hogs = yield* Effect.forEach(Array.from({ length: 60 }), () => trigger(hog, long))
      yield* startRunWorker({ concurrencyMax: 20, drainSeconds: 0 })
      const mine = yield* trigger(guest, { input: { steps: [{ return: 1 }] } })
      assert.deepInclude(yield* ended(guest.caller, mine.id), { status: "succeeded" })
      assert.strictEqual(hogs.length, 60)
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )
})
