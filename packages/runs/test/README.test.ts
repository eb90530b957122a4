import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { main } from "./example.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

describe("the example in the README", () => {
  it("runs, and gives what it says", async () => {
    assert.deepStrictEqual(await main(), ["succeeded", "You said: Hello", 7])
  })

  it("is the file that is run", () => {
    const [, shown] = /```ts\n([\s\S]*?)```/.exec(read("../README.md")) ?? []
    assert.strictEqual(shown, read("./example.ts"))
  })
})
