import { EventId, timeOfId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { eventIdBound } from "@agent-platform/webhooks"
import { aReplay } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { isFinished, Replay, restOf } from "../src/Replay.ts"
import { eventIdAt } from "./lifecycleSupport.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const LATEST = Date.UTC(9999, 11, 31)

describe("the ids of events", () => {
  it.prop(
    "sort by the bounds of the moments they were made in",
    { millis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: LATEST })) },
    ({ millis }) => {
      const at = DateTime.makeUnsafe(millis)
      const id = eventIdAt(at)
      assert.isTrue(eventIdBound(at) < id)
      assert.isTrue(id < eventIdBound(DateTime.add(at, { milliseconds: 1 })))
      assert.deepStrictEqual(timeOfId(id), at)
    }
  )
})

describe("a replay", () => {
  const [first, second] = [anId(EventId), anId(EventId)].sort() as [EventId, EventId]

  it("goes on behind the last event that it came to", () => {
    const replay = aReplay()
    assert.deepStrictEqual(restOf(replay), { after: eventIdBound(replay.since), before: eventIdBound(replay.until) })
    const next = Replay.advanced(replay, { eventIds: [first, second], limit: 2, now: NOW })
    assert.deepStrictEqual(next, {
      ...replay,
      state: "running",
      position: second,
      replayedCount: 2,
      startedAt: NOW
    })
    assert.deepStrictEqual(restOf(next), { after: second, before: eventIdBound(replay.until) })
  })

  it("is completed by a portion that is not full, an empty one included", () => {
    const begun = Replay.advanced(aReplay(), { eventIds: [first], limit: 1, now: NOW })
    for (const eventIds of [[], [second]]) {
      const ended = Replay.advanced(begun, { eventIds, limit: 2, now: DateTime.add(NOW, { seconds: 5 }) })
      assert.deepInclude(ended, {
        state: "completed",
        replayedCount: 1 + eventIds.length,
        position: eventIds.at(-1) ?? first,
        startedAt: NOW,
        finishedAt: DateTime.add(NOW, { seconds: 5 })
      })
      assert.isTrue(isFinished(ended))
    }
  })

  it("can be stopped at any time, for a reason", () => {
    for (const replay of [aReplay(), Replay.advanced(aReplay(), { eventIds: [first], limit: 1, now: NOW })]) {
      const ended = Replay.stopped(replay, "endpoint_deleted", NOW)
      assert.deepStrictEqual(ended, { ...replay, state: "stopped", stateReason: "endpoint_deleted", finishedAt: NOW })
      assert.isTrue(isFinished(ended))
      assert.isFalse(isFinished(replay))
    }
  })
})
