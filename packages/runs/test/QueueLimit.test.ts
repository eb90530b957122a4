import type { WorkspaceId } from "@agent-platform/kernel"
import { aCaller } from "@agent-platform/kernel/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { QueueLimit } from "../src/acceptance/QueueLimit.ts"
import { RunAcceptance } from "../src/ports/RunAcceptance.ts"

const { workspaceId } = aCaller()

/** A store that only counts, so many runs, and says how often it was asked. */
const counting = (queued: (workspaceId: WorkspaceId) => number) => {
  const asked = { times: 0 }
  const store = {
    countQueued: (id: WorkspaceId, limit: number) =>
      Effect.sync(() => {
        asked.times++
        return Math.min(limit, queued(id))
      })
  } as unknown as RunAcceptance["Service"]
  return { asked, layer: Layer.provide(QueueLimit.layer, Layer.succeed(RunAcceptance, store)) }
}

const isNear = (id: WorkspaceId) => QueueLimit.use((limit) => limit.isNear(id))

describe("the limit of a queue", () => {
  const short = counting(() => 3)
  it.effect("is counted once for a moment", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++) assert.isFalse(yield* isNear(workspaceId))
      assert.strictEqual(short.asked.times, 1)
      yield* TestClock.adjust(50)
      assert.isFalse(yield* isNear(workspaceId))
      assert.strictEqual(short.asked.times, 2)
    }).pipe(Effect.provide(short.layer))
  )

  const shifted = counting(() => 3)
  it.effect("is remembered for no longer when the clock is set back", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      yield* isNear(workspaceId)
      yield* TestClock.setTime(0)
      yield* TestClock.adjust(50)
      yield* isNear(workspaceId)
      assert.strictEqual(shifted.asked.times, 2)
    }).pipe(Effect.provide(shifted.layer))
  )

  const long = counting(() => 9_500)
  it.effect("is counted every time once the queue is nearly full", () =>
    Effect.gen(function* () {
      for (let round = 1; round <= 3; round++) {
        assert.isTrue(yield* isNear(workspaceId))
        assert.strictEqual(long.asked.times, round)
      }
    }).pipe(Effect.provide(long.layer))
  )

  const mixed = counting((id) => (id === workspaceId ? 3 : 10_000))
  it.effect("of one workspace says nothing about another's", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* isNear(workspaceId))
      assert.isTrue(yield* isNear(aCaller().workspaceId))
    }).pipe(Effect.provide(mixed.layer))
  )
})
