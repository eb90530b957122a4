/** How much is written to keep the progress of a turn. */
import type { Turn } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Schema } from "effect"
import { TestClock } from "effect/testing"
import { type Conversation, userMessage } from "../../src/chat/Conversation.ts"
import { makeProgress } from "../../src/chat/progress.ts"

const CALLS = 128
const AT_ONCE = 8

const begun = (text: string) =>
  ({ version: 2, past: [], messages: [userMessage(text, null)], origins: {} }) as unknown as Conversation

const withNext = (conversation: Conversation): Conversation => ({
  ...conversation,
  steps: (conversation.steps ?? 0) + 1
})

/** Adds as many results as an answer may have calls, eight at once, and says what was written of them and when each was seen saved. */
const results = Effect.fnUntraced(function* (text: string) {
  const written: Array<number> = []
  let steps = 0
  const save = (state: Schema.Json) =>
    Effect.sync(() => {
      written.push(JSON.stringify(state).length)
      steps = (state as unknown as Conversation).steps
    })
  const progress = makeProgress({ checkpoint: { save, keep: save } } as unknown as Turn, begun(text))
  const one = Effect.gen(function* () {
    let mine = 0
    yield* progress.change((before) => {
      const after = withNext(before)
      mine = after.steps
      return after
    })
    assert.isAtLeast(steps, mine, "a change returns when it is saved")
  })
  const all = yield* Effect.forkChild(
    Effect.forEach(Array.from({ length: CALLS }), () => one, { concurrency: AT_ONCE, discard: true })
  )
  let seconds = 0
  for (; all.pollUnsafe() === undefined; seconds++) yield* TestClock.adjust("1 second")
  yield* Fiber.join(all)
  assert.strictEqual(steps, CALLS)
  return { written, seconds }
})

describe("the progress of a turn", () => {
  it.effect("is written as often as it changes where it is small", () =>
    Effect.gen(function* () {
      const { seconds } = yield* results("Hello")
      assert.isAtMost(seconds, 1)
    })
  )

  it.effect("is written no faster than 4 MiB in a second where it is large, with all that has come meanwhile", () =>
    Effect.gen(function* () {
      const { seconds, written } = yield* results("x".repeat(3 * 1024 * 1024))
      const bytes = written.reduce((sum, one) => sum + one, 0)
      assert.isAtMost(written.length, CALLS / AT_ONCE + 2)
      assert.isAtMost(bytes, (seconds + 1) * 4 * 1024 * 1024)
    })
  )
})
