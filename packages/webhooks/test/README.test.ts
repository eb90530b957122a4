import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { example } from "./example.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

describe("the example in the README", () => {
  it.live("runs, and gives what it says", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* example, "run.failed")
    })
  )

  it("is the file that is run", () => {
    const [, shown] = /```ts\n([\s\S]*?)```/.exec(read("../README.md")) ?? []
    assert.strictEqual(shown, read("./example.ts"))
  })
})
