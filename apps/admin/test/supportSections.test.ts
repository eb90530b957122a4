/** Sections of a support bundle, one of which does not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { sectionsOver } from "../src/support/sections.ts"

/** The result once so much time has passed. */
const after = (seconds: number, collecting: Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(collecting)
    yield* TestClock.adjust(`${seconds} seconds`)
    return yield* Fiber.join(fiber)
  })

describe("a section that never answers", () => {
  it.effect("is left out by itself, and so is each of several", () =>
    Effect.gen(function* () {
      const sections = {
        first: Effect.succeed(1),
        hung: Effect.never,
        broken: Effect.fail(new Error("deadlock detected")),
        slow: Effect.delay(Effect.succeed(2), "29 seconds"),
        hung_too: Effect.never,
        last: Effect.succeed(3)
      }
      assert.deepStrictEqual(yield* after(90, sectionsOver(Layer.empty, sections)), {
        first: 1,
        hung: { unavailable: "timeout" },
        broken: { unavailable: "deadlock" },
        slow: 2,
        hung_too: { unavailable: "timeout" },
        last: 3
      })
    })
  )

  it.effect("is not waited for where no connection comes about", () =>
    Effect.gen(function* () {
      const connection = Layer.effectDiscard(Effect.never)
      const failed = Effect.flip(sectionsOver(connection, { never: Effect.die("It was asked") }))
      const error = yield* after(30, failed)
      assert.propertyVal(error, "_tag", "TimeoutError")
    })
  )
})
