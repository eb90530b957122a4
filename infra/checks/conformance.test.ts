/** docs/conformance.md names tests that are there. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { conformanceFaults, conformancesOf } from "./conformance.ts"
import { TOP_FOLDER } from "./repository.ts"

const PAGE = "docs/conformance.md"

const faultsOf = (page: string, files: Readonly<Record<string, string>>) =>
  conformanceFaults(conformancesOf(PAGE, page), (path) => files[path])

describe("the page of conformance", () => {
  it("has a test for each rule, which is there by its title", () => {
    const rules = conformancesOf(PAGE, readFileSync(join(TOP_FOLDER, PAGE), "utf8"))
    assert.isAbove(rules.length, 70)
    const textOf = (path: string) => {
      const file = join(TOP_FOLDER, path)
      return existsSync(file) ? readFileSync(file, "utf8") : undefined
    }
    assert.deepStrictEqual(conformanceFaults(rules, textOf), [])
  })

  it("is found out where it names a test, a file or a rule wrongly", () => {
    const row = (cell: string) => `| Rule | Held by |\n| --- | --- |\n| It holds | ${cell} |`
    const files = { "a/b.test.ts": 'it("does it", …)\nit(`does ${more}`, …)' }
    const link = "[b.test.ts](../a/b.test.ts)"
    assert.deepStrictEqual(faultsOf(row(`${link}: does it<br>${link}: does \${more}`), files), [])
    assert.deepStrictEqual(faultsOf(row(`${link}: does`), files), ["'It holds': a/b.test.ts has no test 'does'"])
    assert.deepStrictEqual(faultsOf(row("[c](../a/c.test.ts): does it"), files), [
      "'It holds': there is no file a/c.test.ts"
    ])
    assert.deepStrictEqual(faultsOf(row(""), files), ["'It holds' names no test"])
    for (const cell of ["b.test.ts", `${link} does it`, `${link}:`, ""]) {
      const faults = [`'It holds': '${cell}' is not a link to a file and a title`]
      assert.deepStrictEqual(faultsOf(row(`${link}: does it<br>${cell}`), files), faults)
      assert.deepStrictEqual(faultsOf(row(`${cell}<br>${link}: does it`), files), faults)
    }
  })
})
