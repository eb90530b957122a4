import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadRecipes } from "@agent-platform/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const TAKEN = ["chat", "demo", "http"]

/** Loads a module with this text. */
const load = (text: string, name = "mine.ts") =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "recipes-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
    const path = join(folder, name)
    writeFileSync(path, text)
    return yield* Effect.map(Effect.result(loadRecipes(path, TAKEN)), (result) => ({ result, path }))
  }).pipe(Effect.scoped)

const a = (name: string, more = "") => `{ name: ${JSON.stringify(name)}, execute: () => undefined${more} }`

const MANY = Array.from({ length: 101 }, (_, number) => a(`r${number}`)).join(", ")

describe("the file of RECIPES", () => {
  for (const [what, text, names] of [
    ["one recipe", `export default ${a("one")}`, ["one"]],
    [
      "several",
      `const all: Array<unknown> = [${a("one")}, ${a("two", ", flawOf: () => undefined")}]\nexport default all`,
      ["one", "two"]
    ]
  ] as const) {
    it.effect(`has ${what}`, () =>
      Effect.gen(function* () {
        const { result } = yield* load(text)
        assert.deepStrictEqual(result._tag === "Success" && result.success.map(({ name }) => name), [...names])
      })
    )
  }

  it.effect("is none unless it is named", () =>
    Effect.map(loadRecipes(null, TAKEN), (recipes) => assert.isEmpty(recipes))
  )

  for (const [text, fault] of [
    ["export const mine = 1", "has no default export"],
    ["export default []", "must export from 1 to 100 recipes by default"],
    [`export default [${MANY}]`, "must export from 1 to 100 recipes by default"],
    ["export default null", "exports a recipe by default that is no object with name and execute (number 1)"],
    [
      `export default [${a("one")}, 2]`,
      "exports a recipe by default that is no object with name and execute (number 2)"
    ],
    ["export default { execute: () => 1 }", "has no name of 1 to 64 letters"],
    [`export default ${a("with space")}`, "has no name of 1 to 64 letters"],
    [`export default ${a("x".repeat(65))}`, "has no name of 1 to 64 letters"],
    ['export default { name: "one" }', "is called 'one' and has no function execute"],
    [`export default ${a("one", ", flawOf: 1")}`, "is called 'one', and its flawOf is no function"],
    [`export default ${a("chat")}`, "exports the recipe 'chat', which is the name of one of the platform's own"],
    [`export default [${a("one")}, ${a("one")}]`, "exports two recipes that are called 'one'"],
    ['throw new Error("Broken")', "cannot be imported: Error: Broken"],
    ['import { x } from "./nowhere.ts"\nexport default x', "cannot be imported: "]
  ] as const) {
    it.effect(`is refused where it ${fault}`, () =>
      Effect.gen(function* () {
        const { path, result } = yield* load(text)
        const message = result._tag === "Failure" ? result.failure.message : "It was taken"
        assert.isTrue(message.startsWith(`RECIPES cannot be used: ${path} `), message)
        assert.include(message, fault)
        assert.notInclude(message, "\n")
      })
    )
  }

  it.effect("is refused where there is none", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(loadRecipes("./nowhere/mine.ts", TAKEN))
      assert.include(refused.message, "RECIPES cannot be used: ./nowhere/mine.ts cannot be imported: ")
    })
  )
})
