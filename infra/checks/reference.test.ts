/** The pages that are made from the code are those that it makes now. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commands } from "../../apps/admin/src/commandTree.ts"
import { pages } from "../docs/pages.ts"
import { TOP_FOLDER } from "./repository.ts"

describe("the pages made from the code", () => {
  it.effect("are current; `npm run docs` makes them so", () =>
    Effect.gen(function* () {
      for (const [path, text] of Object.entries(yield* pages)) {
        assert.strictEqual(readFileSync(join(TOP_FOLDER, path), "utf8"), text, path)
      }
    })
  )

  it.effect("name every command of the admin program", () =>
    Effect.gen(function* () {
      const headings = (yield* pages)["docs/admin.md"]?.split("\n").filter((line) => line.startsWith("#"))
      for (const { path } of commands) {
        assert.isTrue(
          headings?.some((line) => line.endsWith(` ${["admin", ...path].join(" ")}`)),
          path.join(" ")
        )
      }
    })
  )
})
