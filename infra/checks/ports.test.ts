/** The table of ports in docs/adapters.md is that of the code: their methods, the suites that hold them, and the layers for none. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { portRows, ports } from "./ports.ts"
import { TOP_FOLDER } from "./repository.ts"

const page = readFileSync(join(TOP_FOLDER, "docs", "adapters.md"), "utf8")

describe("the table of ports", () => {
  it("finds every port, each with its methods", () => {
    assert.isAtLeast(ports.length, 60)
    assert.deepStrictEqual(
      ports.filter(({ methods }) => methods.length === 0),
      []
    )
  })

  it("has the rows of the code, in their order", () => {
    const rows = page.split("\n").filter((line) => /^\| `\w+` \(/.test(line))
    assert.deepStrictEqual(rows, portRows, `The rows of docs/adapters.md are to be:\n${portRows.join("\n")}`)
  })

  it("names suites that there are, of the port's own package", async () => {
    for (const { name, package: from, suites } of ports) {
      if (suites.length === 0) continue
      const testing = readFileSync(join(TOP_FOLDER, "packages", from, "src", "testing", "index.ts"), "utf8")
      for (const suite of suites) assert.match(testing, new RegExp(`\\b${suite}\\b`), `${suite} of ${name}`)
    }
  })
})
