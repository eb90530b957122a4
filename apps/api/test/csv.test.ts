/** Tables of comma-separated values. RFC 4180. */
import { assert, describe, it } from "@effect/vitest"
import { csvOf } from "../src/views/csv.ts"

const line = (...values: ReadonlyArray<unknown>): string =>
  csvOf(
    values.map((_, place) => [`c${place}`]),
    [Object.fromEntries(values.map((value, place) => [`c${place}`, value]))]
  )
    .split("\r\n")
    .slice(1, -1)
    .join("\r\n")

describe("a table", () => {
  it("begins with its header, and ends every line", () => {
    const columns = [["date"], ["usage", "requests"], ["metadata", "a.b"]]
    assert.strictEqual(
      csvOf(columns, [{ date: "2026-11-01", usage: { requests: 3 }, metadata: { "a.b": "x" } }]),
      "date,usage.requests,metadata.a.b\r\n2026-11-01,3,x\r\n"
    )
    assert.strictEqual(csvOf(columns, []), "date,usage.requests,metadata.a.b\r\n")
  })

  it("quotes what would end a cell or a line, and leaves out what is not there", () => {
    assert.strictEqual(line('a "b"', "c,d", "e\nf", null, undefined, true), '"a ""b""","c,d","e\nf",,,true')
  })

  it("takes away the power of what a spreadsheet would compute, and leaves numbers alone", () => {
    assert.strictEqual(line("=1+1", "+1 2", "-a", "@SUM(A1)", "\tx"), "'=1+1,'+1 2,'-a,'@SUM(A1),'\tx")
    assert.strictEqual(line("-0.10", "12", -3, "1.5e3"), "-0.10,12,-3,1.5e3")
    assert.strictEqual(line('=HYPERLINK("x","y")'), '"\'=HYPERLINK(""x"",""y"")"')
    // The header is the caller's, too, where it names metadata.
    assert.match(csvOf([["=cmd"]], []), /^'=cmd/)
  })
})
