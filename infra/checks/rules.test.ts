/** Holds the table of rules in docs/architecture.md to the code: each file is there, and has what decides. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { TOP_FOLDER } from "./repository.ts"

const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text)

const page = readFileSync(join(TOP_FOLDER, "docs/architecture.md"), "utf8")
const rows = (/## Where a rule is decided\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:Rule|---)/.test(line))
  .map((line) => line.split(" | "))

describe("a rule in docs/architecture.md", () => {
  it("is decided where the page says", () => {
    assert.isAtLeast(rows.length, 16)
    for (const [rule = "", by = "", files = ""] of rows) {
      const texts = quoted(files).map((path) => readFileSync(join(TOP_FOLDER, path), "utf8"))
      assert.isNotEmpty(texts, rule)
      for (const name of quoted(by)) {
        assert.isTrue(
          texts.some((text) => new RegExp(`(?:^|\\n)(?:export )?const ${name}\\b`).test(text)),
          `${rule}: ${name}`
        )
      }
    }
  })
})
