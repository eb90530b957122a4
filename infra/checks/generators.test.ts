/** Holds busy places to writing their generator functions once, and proves that one which is made for each call is seen. */
import { assert, describe, it } from "@effect/vitest"
import { generatorViolations, needlesslySeldom } from "./generators.ts"
import { readRepository, TOP_FOLDER } from "./repository.ts"

const { files } = readRepository(TOP_FOLDER)
const linesOf = (text: string, path = "packages/runs/src/use-cases/planted.ts") =>
  generatorViolations({ path, text }).map((one) => /:(\d+) /.exec(one)?.[1])

describe("generator functions", () => {
  it("of what runs for each run, call, event or request are written once", () =>
    assert.deepStrictEqual(files.flatMap(generatorViolations), []))

  it("that are allowed to be made for each call are there", () => assert.deepStrictEqual(needlesslySeldom(files), []))

  it("are seen inside of others, and in Effect.gen wherever it is", () => {
    const inside = 'useCase("a")(function* (b) {\n  yield* atomic(\n    Effect.gen(function* () {\n    })\n  )\n})'
    assert.deepStrictEqual(linesOf(inside), ["3"])
    assert.deepStrictEqual(
      linesOf("Effect.fnUntraced(function* () {\n  const a = Effect.fnUntraced(function* () {})\n})"),
      ["2"]
    )
    assert.deepStrictEqual(linesOf("Effect.fnUntraced(function* () {}, (effect) =>\n  f(function* () {}))"), ["2"])
    assert.deepStrictEqual(linesOf("const a = (b) =>\n  Effect.gen(function* () {\n  })"), ["2"])
  })

  it("stand beside each other, inside of what makes something once, and anywhere in places that are not busy", () => {
    const beside = "const a = Effect.fnUntraced(function* () {})\nconst b = useCase(`${c}`)(function* () {})"
    assert.deepStrictEqual(linesOf(beside), [])
    assert.deepStrictEqual(
      linesOf("const a = (b) => Effect.fnUntraced(function* () {}) // function* () { function* () {} }"),
      []
    )
    assert.deepStrictEqual(linesOf("Effect.gen(function* () {})", "packages/keys/src/use-cases/planted.ts"), [])
    assert.deepStrictEqual(linesOf("Effect.gen(function* () {})", "packages/runs/src/use-cases/createAgent.ts"), [])
  })
})
