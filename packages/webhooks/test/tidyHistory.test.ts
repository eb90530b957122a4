import { EventId, freshId, Outbox, UnitOfWork } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DeliveryHistory, HISTORY_DAYS, monthsBetween, tidyHistory } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Forgotten } from "../src/ports/DeliveryHistory.ts"
import { memory } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")

describe("tidying the history", () => {
  it.effect("prepares this month and the two to come, and forgets what is older than it is asked to keep", () =>
    Effect.gen(function* () {
      const asked: Array<ReadonlyArray<string>> = []
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const history = DeliveryHistory.of({
        prepare: (from, to) => Effect.sync(() => void asked.push(monthsBetween(from, to))),
        forget: (before) =>
          Effect.sync((): Forgotten => {
            asked.push([DateTime.formatIso(before)])
            return { forgotten: ["2026-07"], kept: ["2026-06"] }
          })
      })
      const tidied = yield* Effect.provideService(tidyHistory(), DeliveryHistory, history)
      assert.deepStrictEqual(tidied, { forgotten: ["2026-07"], kept: ["2026-06"] })
      assert.strictEqual(HISTORY_DAYS, 90)
      assert.deepStrictEqual(asked, [["2026-11", "2026-12", "2027-01"], ["2026-08-23T12:00:00.000Z"]])
    }).pipe(Effect.provide(memory))
  )

  it.effect("forgets nothing from the time on from which an event is still in the outbox", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const unit = yield* UnitOfWork
      const outbox = yield* Outbox
      const history = DeliveryHistory.of({
        prepare: () => Effect.void,
        forget: (before) =>
          Effect.sync((): Forgotten => {
            asked.push(DateTime.formatIso(before))
            return { forgotten: [], kept: [] }
          })
      })
      const tidied = Effect.provideService(tidyHistory(), DeliveryHistory, history)
      yield* TestClock.setTime(NOW.epochMilliseconds)
      yield* unit.atomic(outbox.add(yield* freshId(EventId)))
      yield* tidied
      yield* TestClock.adjust("200 days")
      yield* tidied
      assert.deepStrictEqual(asked, ["2026-08-23T12:00:00.000Z", "2026-11-21T12:00:00.000Z"])
    }).pipe(Effect.provide(Layer.fresh(memory)))
  )

  it.effect("has prepared months even if forgetting fails", () =>
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const prepared = database.table<string>("prepared")
      const history = DeliveryHistory.of({
        prepare: () => prepared.put("month", "done"),
        forget: () => Effect.die(new Error("A lock could not be had"))
      })
      assert.strictEqual(
        (yield* Effect.exit(Effect.provideService(tidyHistory(), DeliveryHistory, history)))._tag,
        "Failure"
      )
      assert.strictEqual(yield* prepared.get("month"), "done")
    }).pipe(Effect.provide(memory))
  )
})

describe("the months between two times", () => {
  it("are every month that either of them or anything between them is in", () => {
    const between = (from: string, to: string) => monthsBetween(DateTime.makeUnsafe(from), DateTime.makeUnsafe(to))
    assert.deepStrictEqual(between("2026-11-30T23:59:59.999Z", "2027-02-01T00:00:00.000Z"), [
      "2026-11",
      "2026-12",
      "2027-01",
      "2027-02"
    ])
    assert.deepStrictEqual(between("2026-11-01T00:00:00Z", "2026-11-30T00:00:00Z"), ["2026-11"])
  })
})
