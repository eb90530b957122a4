/** Suites over what is broken on purpose name cases that exist. They run in `npm run test:long` alone, which notices a renamed case late. */
import { assert, describe, it } from "@effect/vitest"
import { makeHasCase, titlesNamedIn } from "./caughtCases.ts"
import { readRepository, TOP_FOLDER } from "./repository.ts"

const IS_BROKEN = /\/broken[^/]*\.test\.ts$/

describe("the cases that are to fail over a broken implementation", () => {
  it("are cases of a suite, by their titles", () => {
    const { files } = readRepository(TOP_FOLDER)
    const broken = files.filter(({ path }) => IS_BROKEN.test(path))
    const suites = files.filter(({ path }) => /\/(?:testing|test)\//.test(path) && !IS_BROKEN.test(path))
    const hasCase = makeHasCase(suites.map(({ text }) => text).join("\n"))
    const named = broken.flatMap((file) => titlesNamedIn(file.text).map((title) => ({ path: file.path, title })))
    assert.isAbove(named.length, 400)
    assert.deepStrictEqual(
      named.filter(({ title }) => !hasCase(title)),
      []
    )
  })

  it("are found out where no case has the title any more", () => {
    const hasCase = makeHasCase(
      'it("counts each request once", …)\nit.effect(`counts the requests of ${kind} apart`, …)\nit(`${verb} as ${noun}s do`, …)'
    )
    const titles = titlesNamedIn(
      'bite("limits that count twice", suite, [\n  "counts each request once",\n  "counts the requests of keys apart"\n])\nconst words = ["run.succeeded"]'
    )
    assert.deepStrictEqual(titles, ["counts each request once", "counts the requests of keys apart"])
    for (const title of titles) assert.isTrue(hasCase(title))
    for (const title of ["counts each request", "counts the requests of keys", "counts as requests do"]) {
      assert.isFalse(hasCase(title))
    }
  })
})
