import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { example } from "./example.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

describe("the example in the README", () => {
  it.live("runs, and gives what it says", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* example, [1, true])
    })
  )

  it("is the file that is run", () => {
    const [, shown] = /## Example\n\n```ts\n([\s\S]*?)```/.exec(read("../README.md")) ?? []
    assert.strictEqual(shown, read("./example.ts"))
  })
})
