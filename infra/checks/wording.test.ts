/** Holds comments and documentation to plain wording, and proves that other wording is seen. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { readRepository, TOP_FOLDER } from "./repository.ts"
import { WHOEVER_MAX, whatOpenings, whoeverBeyond } from "./wording.ts"

const { files } = readRepository(TOP_FOLDER)
const pages = readdirSync(join(TOP_FOLDER, "docs"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md"))
  .map((path) => ({ path: `docs/${path}`, text: readFileSync(join(TOP_FOLDER, "docs", path), "utf8") }))

const path = "packages/runs/src/planted.ts"
const linesOf = (text: string) => whatOpenings({ path, text }).map((one) => /:(\d+) /.exec(one)?.[1])

describe("comments", () => {
  it("do not open with What", () => assert.deepStrictEqual(files.flatMap(whatOpenings), []))

  it("are seen to open with it in every form of comment, by line", () => {
    assert.deepStrictEqual(
      linesOf("/** What a run is. */\nconst a = 1\n  // What follows\n/**\n * What it costs.\n */"),
      ["1", "3", "5"]
    )
  })

  it("are not confused with code, nor with the word elsewhere", () => {
    assert.deepStrictEqual(linesOf('const a = "What now"\n// Whatever it is\n/** Says what it is. What else? */'), [])
  })
})

describe("`whoever`", () => {
  it("is said rarely in packages, apps, infra and docs", () => {
    assert.isAbove(pages.length, 10)
    assert.deepStrictEqual(whoeverBeyond(WHOEVER_MAX, [...files, ...pages]), [])
  })

  it("is counted over all files, each time, in either case", () => {
    const planted = [
      { path: "a.md", text: "Whoever asks.\nAnd whoever, whoever." },
      { path: "b.ts", text: "// None" }
    ]
    assert.deepStrictEqual(whoeverBeyond(2, planted), ["a.md:1", "a.md:2", "a.md:2"])
    assert.deepStrictEqual(whoeverBeyond(3, planted), [])
  })
})
