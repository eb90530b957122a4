/** The table of promises in docs/security.md, and the threat model, name tests that exist. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** `path`: "title", any number of them in the last cell of a row. */
const SHOWN_BY = /`([^`]+\.ts)`: "([^"]+)"/g

const rows = readFileSync(`${root}docs/security.md`, "utf8")
  .split("\n")
  .filter((line) => /^\| (?!Promise |---)/.test(line))

describe("the table of promises", () => {
  it("has a row for each kind of promise", () => {
    const promises = rows.map((row) => row.split("|")[1]?.toLowerCase()).join("\n")
    for (const kind of ["stored", "revo", "tenant", "csrf", "time", "guess"]) assert.include(promises, kind)
  })

  for (const row of rows) {
    const [, promise = ""] = row.split("|")
    it(`shows: ${promise.trim()}`, () => {
      const shown = [...(row.split("|").at(-2) ?? "").matchAll(SHOWN_BY)]
      assert.isNotEmpty(shown)
      for (const [, path = "", title = ""] of shown) {
        assert.isTrue(existsSync(`${root}${path}`), path)
        assert.include(readFileSync(`${root}${path}`, "utf8"), title)
      }
    })
  }
})

describe("the threat model", () => {
  const text = readFileSync(`${root}docs/threat-model.md`, "utf8")
  const shown = [...text.matchAll(SHOWN_BY)]

  it("names a test for most of what it says stands in an attacker's way", () => {
    assert.isAbove(shown.length, 10)
  })

  for (const [, path = "", title = ""] of shown) {
    it(`is held by ${path}: ${title}`, () => {
      assert.include(readFileSync(`${root}${path}`, "utf8"), title)
    })
  }
})
