import { assert, describe, it } from "vitest"
import { tableOf } from "../src/printed.ts"

describe("a table", () => {
  it("lines its columns up and leaves nothing at the end of a line", () => {
    const rows = [
      { id: "1", name: "Acme", more: [] },
      { id: "20", name: null, more: [] }
    ]
    assert.strictEqual(tableOf(["id", "name"], rows), "id  name\n1   Acme\n20  -")
  })

  it("says when it is empty", () => {
    assert.strictEqual(tableOf(["id"], []), "None")
  })

  it("shows nothing that could move a terminal's cursor or hide what follows", () => {
    const names = ["a\u001b[2Jb", "a\nb", "a\u202eb", "a\u200bb", "a\u0000b"]
    for (const name of names) assert.notMatch(tableOf(["name"], [{ name }]), /[^\x20-\x7e\n]/)
    assert.strictEqual(tableOf(["name"], [{ name: "é 💡" }]), "name\né 💡")
  })
})
