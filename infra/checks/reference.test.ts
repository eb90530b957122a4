/** The pages that are made from the code are those that it makes now. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commands } from "../../apps/admin/src/commandTree.ts"
import { withBlocks } from "../docs/blocks.ts"
import { takesFields } from "../docs/fields.ts"
import { operations } from "../docs/openApi.ts"
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

describe("docs/http.md", () => {
  const sections = new Map(
    readFileSync(join(TOP_FOLDER, "docs/http.md"), "utf8")
      .split(/^### /m)
      .map((section) => [section.split("\n", 1)[0], section])
  )

  it("has the fields of every operation that takes any, or says whose it takes", () => {
    const without = operations.filter(takesFields).filter(({ name }) => {
      const section = sections.get(name) ?? ""
      return !section.includes(`<!-- made: takes ${name} -->`) && !/\]\(#(?:post|patch|delete|get)-apiv1/.test(section)
    })
    assert.deepStrictEqual(
      without.map(({ name }) => name),
      []
    )
  })

  it("has no table of fields that is written by hand", () => {
    const byHand = readFileSync(join(TOP_FOLDER, "docs/http.md"), "utf8")
      .replaceAll(/^<!-- made: .* -->\n[\s\S]*?^<!-- \/made -->$/gm, "")
      .split("\n")
      .filter((line) => /^\| (?:Member|Parameter) \| (?:Value|Bounds)/.test(line))
    // The one of all pages, which no operation has alone.
    assert.deepStrictEqual(byHand, ["| Parameter | Bounds | Default | |"])
  })
})

describe("a block of a page", () => {
  const START = "<!-- made: takes GET /api/v1/runs/{run_id} -->"
  const END = "<!-- /made -->"

  it("is filled, and nothing around it is touched, be it empty before or not", () => {
    const empty = `Before\n${START}\n${END}\nBetween\n${START}\n${END}\nAfter\n`
    const filled = withBlocks(empty)
    assert.match(filled, /^Before\n<!--/)
    assert.match(filled, /-->\nBetween\n<!--/)
    assert.match(filled, /-->\nAfter\n$/)
    assert.strictEqual(filled.split("| `wait_seconds` | 0 to 60 | `0` |").length, 3)
    assert.strictEqual(withBlocks(filled), filled)
  })

  it("that names nothing is a fault", () => {
    assert.throws(() => withBlocks(`<!-- made: takes GET /nowhere -->\n${END}`), /no operation GET \/nowhere/)
    assert.throws(() => withBlocks(`<!-- made: something -->\n${END}`), /no block 'something'/)
  })
})
