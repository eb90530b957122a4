/** The pages that are made from the code are those that it makes now. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commands } from "../../apps/admin/src/commandTree.ts"
import { withBlocks } from "../docs/blocks.ts"
import { pages } from "../docs/pages.ts"
import { referencePage } from "../docs/referencePage.ts"
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

describe("the guides to the HTTP interface", () => {
  for (const path of ["docs/http.md", "docs/accounts.md"]) {
    it(`have no table of an operation's fields that is written by hand: ${path}`, () => {
      const byHand = readFileSync(join(TOP_FOLDER, path), "utf8")
        .split("\n")
        .filter((line) => /^\| (?:Member|Parameter) \| (?:Value|Bounds)/.test(line))
      assert.deepStrictEqual(byHand, [])
    })
  }
})

describe("docs/reference.md", () => {
  const sections = new Map(
    referencePage()
      .split(/^##+ /m)
      .map((section) => [section.split("\n", 1)[0], section])
  )

  it("describes the members of an answer once, and leads there from where they are answered, too", () => {
    assert.include(sections.get("POST /api/v1/runs/"), "| `run_id` | an id | The run's id |")
    assert.include(
      sections.get("GET /api/v1/runs/{run_id}"),
      "with the members that [`POST /api/v1/runs/`](#post-apiv1runs) answers"
    )
    assert.match(sections.get("GET /api/v1/runs/") ?? "", /\| `items` .*Its members: \[`POST \/api\/v1\/runs\/`\]/)
    assert.notInclude(sections.get("GET /api/v1/runs/"), "items[].run_id")
  })

  it("says what is answered as something else than JSON", () => {
    const record = sections.get("GET /api/v1/runs/{run_id}/record") ?? ""
    assert.match(record, /^Answers 200 as `application\/json`, `text\/markdown` \(.*\), `text\/html` \(.*\):$/m)
    assert.match(sections.get("GET /api/v1/notifications/stream") ?? "", /Answers 200 as `text\/event-stream` \(Events/)
  })
})

describe("a block of a page", () => {
  const START = "<!-- made: event types -->"
  const END = "<!-- /made -->"

  it("is filled, and nothing around it is touched, be it empty before or not", () => {
    const empty = `Before\n${START}\n${END}\nBetween\n${START}\n${END}\nAfter\n`
    const filled = withBlocks(empty)
    assert.match(filled, /^Before\n<!--/)
    assert.match(filled, /-->\nBetween\n<!--/)
    assert.match(filled, /-->\nAfter\n$/)
    assert.strictEqual(filled.split("| `run.succeeded` |").length, 3)
    assert.strictEqual(withBlocks(filled), filled)
  })

  it("that names nothing is a fault", () => {
    assert.throws(() => withBlocks(`<!-- made: something -->\n${END}`), /no block 'something'/)
  })
})
