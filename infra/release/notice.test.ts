import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { noticeOf } from "./notice.mjs"

const component = (name: string, license: string) => ({
  name,
  version: "1.2.3",
  purl: `pkg:npm/${encodeURIComponent(name).replace("%2F", "/")}@1.2.3`,
  licenses: [license.includes(" ") ? { expression: license } : { license: { id: license } }]
})

describe("NOTICE", () => {
  let root: string
  const folderOf = ({ purl }: { readonly purl: string }) =>
    join(root, "node_modules", decodeURIComponent(purl.slice(8, purl.lastIndexOf("@"))))

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "notice-"))
    const folder = join(root, "node_modules", "@scope", "thing")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "LICENSE.md"), "Copyright Somebody\n")
    writeFileSync(join(folder, "license.js"), "no text")
  })
  afterAll(() => rmSync(root, { recursive: true }))

  it("names every package that is shipped, with its version, license and the license's text", () => {
    const text = noticeOf({ components: [component("@scope/thing", "MIT"), component("bare", "ISC")] }, folderOf)
    assert.include(text, "@scope/thing 1.2.3\nLicense: MIT\n\nCopyright Somebody\n")
    assert.include(text, "bare 1.2.3\nLicense: ISC\n\nThe package ships no text of its license.")
    assert.notInclude(text, "no text\n")
  })

  it("leaves out the packages of this repository", () => {
    assert.notInclude(noticeOf({ components: [component("@agent-platform/runs", "Apache-2.0")] }, folderOf), "runs")
  })

  it("takes one admitted license of several to choose from", () => {
    assert.include(
      noticeOf({ components: [component("either", "(AFL-2.1 OR BSD-3-Clause)")] }, folderOf),
      "either 1.2.3"
    )
  })

  it("is refused for a license that is not admitted, for one that has to hold as well, and for none", () => {
    for (const license of ["AGPL-3.0-only", "(MIT AND AGPL-3.0-only)", "UNLICENSED"]) {
      assert.throws(() => noticeOf({ components: [component("bad", license)] }, folderOf), `bad (${license})`)
    }
    assert.throws(
      () => noticeOf({ components: [{ ...component("bad", "MIT"), licenses: [] }] }, folderOf),
      "bad (none)"
    )
  })
})

describe("npm run papers", () => {
  it("writes a CycloneDX document and a NOTICE in which every package that the apps ship has an admitted license", () => {
    const folder = mkdtempSync(join(tmpdir(), "papers-"))
    try {
      const script = fileURLToPath(new URL("papers.mjs", import.meta.url))
      const made = spawnSync(process.execPath, [script, folder], { encoding: "utf8" })
      assert.strictEqual(made.stderr, "")
      const sbom = JSON.parse(readFileSync(join(folder, "sbom.cdx.json"), "utf8"))
      assert.strictEqual(sbom.bomFormat, "CycloneDX")
      const names = sbom.components.map(({ purl }: { readonly purl: string }) => purl.replace(/@[^@]*$/, ""))
      assert.includeMembers(names, ["pkg:npm/effect", "pkg:npm/pg-boss", "pkg:npm/%40agent-platform/worker"])
      assert.notInclude(names, "pkg:npm/vitest")
      assert.include(readFileSync(join(folder, "NOTICE"), "utf8"), "\neffect 4.1.0\nLicense: MIT\n")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
