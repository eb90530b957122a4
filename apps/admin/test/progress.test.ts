import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { JsonFlag } from "../src/described.ts"
import { barOf, makeProgress, ProgressOutput } from "../src/progress.ts"

const watching = (isTerminal: boolean, json: boolean) => {
  const written: Array<string> = []
  const output = { isTerminal, columns: 60, write: (text: string) => void written.push(text) }
  const shown = Effect.scoped(
    Effect.gen(function* () {
      const show = yield* makeProgress
      for (const done of [1, 2, 3]) {
        yield* show({ label: "runs.prune", done, total: 4 })
        yield* TestClock.adjust("3 seconds")
      }
    })
  ).pipe(Effect.provideService(ProgressOutput, output), Effect.provideService(JsonFlag, json))
  return Effect.as(shown, written)
}

describe("progress", () => {
  it("is a bar no longer than the terminal is wide, and a count where nobody knows of how many", () => {
    assert.strictEqual(
      barOf({ label: "keys", done: 5, total: 10 }, 80),
      `keys [${"#".repeat(15)}${"-".repeat(15)}] 5/10`
    )
    assert.strictEqual(barOf({ label: "keys", done: 5 }, 80), "keys 5")
    for (const columns of [0, 5, 12, 20, 40]) {
      assert.isAtMost(barOf({ label: "provider keys", done: 5, total: 10 }, columns).length, columns)
    }
    assert.notInclude(barOf({ label: "keys", done: 12, total: 10 }, 80), "-")
  })

  it.effect("is drawn over on a terminal, and leaves nothing there", () =>
    Effect.gen(function* () {
      const written = yield* watching(true, true)
      assert.strictEqual(written.length, 4)
      for (const text of written) assert.isTrue(text.startsWith("\r\u001b[2K"))
      assert.strictEqual(written.at(-1), "\r\u001b[2K")
    })
  )

  it.effect("is a plain line now and then anywhere else, and nothing where JSON is asked for", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* watching(false, false), ["runs.prune: 1 of 4\n", "runs.prune: 3 of 4\n"])
      assert.deepStrictEqual(yield* watching(false, true), [])
    })
  )
})
